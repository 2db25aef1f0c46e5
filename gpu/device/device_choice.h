// --device auto|cpu|cuda[:N]: what was asked for, against what the machine has.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "gpu/device/cuda_driver.h"

namespace cospadi {

struct CudaRequirements {
    bool built = false;  // this program has the CUDA backend
    // Of the toolkit it was built with, as CudaDriver::version. Any driver for that major version
    // will do: within one, CUDA's minor versions are compatible.
    int toolkitVersion = 0;
    int capability = 80;  // 10 major + minor of the oldest device there is code for
    std::int64_t freeBytes = std::int64_t{1} << 30;  // less is as good as none
};

struct DeviceChoice {
    std::optional<DeviceInfo> device;  // none: the CPU
    std::int64_t freeBytes = 0;        // of the device's memory
    bool cpuMayTakeOver = false;       // the user said auto: a failing device does not end the run
    std::string reason;                // why `auto` means the CPU here, in words; else empty
};

// request: auto, cpu, cuda (the first device that will do) or cuda:N. Throws DeviceError, with the
// reason in words, where a device was asked for and is unavailable; Error where request is none of
// these. Where auto finds a device that will not do, the reason says why.
DeviceChoice chooseDevice(const std::string& request, const CudaRequirements& requirements,
                          CudaDriver& driver);

// "cuda:0 NVIDIA H200, 141 GB, compute capability 9.0"
std::string describe(const DeviceInfo& device);

}  // namespace cospadi
