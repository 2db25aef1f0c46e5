#include "gpu/device/compute_devices.h"

#include <memory>

#include "gpu/device/device_monitor.h"

namespace cospadi {

namespace {

// Small matrices leave a device idle between launches: others fill it meanwhile. More would only
// share the memory.
constexpr int kMatricesAtOnce = 4;

}  // namespace

ComputeDevice computeDevice(const std::string& request, bool tf32) {
    const std::unique_ptr<CudaDriver> driver = installedDriver();
    const DeviceChoice choice = chooseDevice(request, cudaRequirements(), *driver);
    ComputeDevice result;
    result.cpuMayTakeOver = choice.cpuMayTakeOver;
    result.reason = choice.reason;
    if (choice.device) {
        result.description = describe(*choice.device) + (tf32 ? ", TF32" : "");
        result.matricesAtOnce = kMatricesAtOnce;
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
