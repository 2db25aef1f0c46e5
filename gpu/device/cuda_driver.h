// What the machine's CUDA driver says of itself and its devices. An interface, so that tests can
// play every state a machine can be in.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cospadi {

struct DeviceInfo {
    int index = 0;
    std::string name;  // "NVIDIA H200"
    int major = 0;     // compute capability
    int minor = 0;
    int processors = 0;  // multiprocessors
    std::int64_t totalBytes = 0;
    std::string bus = {};  // "0000:65:00.0"; empty where the driver does not say
};

class CudaDriver {
  public:
    virtual ~CudaDriver() = default;

    // 1000 major + 10 minor of the newest CUDA it supports, e.g. 13000; none without a driver.
    virtual std::optional<int> version() = 0;
    // Empty, or what the driver says is wrong, e.g. "no CUDA-capable device is detected".
    virtual std::string problem() = 0;
    virtual std::vector<DeviceInfo> devices() = 0;
    // None where the device cannot be opened.
    virtual std::optional<std::int64_t> freeBytes(int index) = 0;
};

// Over libcuda.so.1, which comes with the driver; without it version() is none.
std::unique_ptr<CudaDriver> installedDriver();

}  // namespace cospadi
