// What the solver computes on, and why it is not a GPU where it is not: for the engine's greeting
// and the About page. Looks at files of the driver only; no library of a GPU is loaded.
#pragma once

#include <filesystem>
#include <string>

namespace cospadi {

struct DeviceState {
    std::string device;  // "cpu" or "cuda"
    std::string reason;  // why no GPU is used, in words; empty where one is
};

// Whether this build has the CUDA backend.
bool builtWithCuda();

// root: of the file system in which the NVIDIA driver is looked for.
DeviceState deviceState(bool withCuda = builtWithCuda(), const std::filesystem::path& root = "/");

}  // namespace cospadi
