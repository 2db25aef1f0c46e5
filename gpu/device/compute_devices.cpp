#include "gpu/device/compute_devices.h"

#include <algorithm>
#include <memory>

#include "gpu/device/device_monitor.h"

namespace cospadi {

namespace {

// A matrix by itself leaves a device idle between launches: others fill it meanwhile, as many as
// have room beside what other programs hold. `fast` takes 6 GB of it for the largest layers of a
// model of 8 billion parameters.
constexpr double kBytesAMatrix = 10e9;
constexpr int kMostMatrices = 8;

int matricesAtOnce(std::int64_t freeBytes) {
    const double room = static_cast<double>(freeBytes) / kBytesAMatrix;
    return std::clamp(static_cast<int>(room), 2, kMostMatrices);
}

}  // namespace

ComputeDevice computeDevice(const std::string& request, bool tf32) {
    const std::unique_ptr<CudaDriver> driver = installedDriver();
    const DeviceChoice choice = chooseDevice(request, cudaRequirements(), *driver);
    ComputeDevice result;
    result.cpuMayTakeOver = choice.cpuMayTakeOver;
    result.reason = choice.reason;
    if (choice.device) {
        result.description = describe(*choice.device) + (tf32 ? ", TF32" : "");
        result.matricesAtOnce = matricesAtOnce(choice.freeBytes);
        result.open = [device = *choice.device, tf32](int) {
            return openCudaBackend(device, tf32);
        };
        result.load = [monitor = std::make_shared<DeviceMonitor>(choice.device->bus)] {
            return monitor->load();
        };
    }
    return result;
}

}  // namespace cospadi
