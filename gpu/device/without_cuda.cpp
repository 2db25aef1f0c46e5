// In place of the CUDA backend in a program that was built without a CUDA compiler.
#include "core/base/error.h"
#include "gpu/device/compute_devices.h"

namespace cospadi {

CudaRequirements cudaRequirements() { return {}; }

std::unique_ptr<Backend> openCudaBackend(const DeviceInfo&, bool) {
    throw DeviceError("this program was built without CUDA", "device", "use --device cpu");
}

std::int64_t devicePeakBytes(const Backend&) { return 0; }

}  // namespace cospadi
