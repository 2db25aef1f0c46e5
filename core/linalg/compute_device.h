// Where a run computes. Filled by the program, which alone knows of devices; the default is the
// CPU.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/linalg/backend.h"

namespace cospadi {

struct ComputeDevice {
    std::string description = "cpu";  // stands in the environment record of a run
    std::string reason;               // where `auto` found no device: why, in words
    int matricesAtOnce = 0;           // 0: one a core
    bool cpuMayTakeOver = false;      // where the device fails in the middle of a run
    // A backend for the calling thread, `threads` of the host at its disposal; throws DeviceError.
    // Empty: CpuBackend.
    std::function<std::unique_ptr<Backend>(int threads)> open;
};

}  // namespace cospadi
