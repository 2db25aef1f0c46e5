#include "gpu/cuda_backend.h"
#include "gpu/device/compute_devices.h"

namespace cospadi {

namespace {

constexpr int kFastDoubles = 4;    // float32 operations in the time of one in double, at most
constexpr int kFirstWithTf32 = 8;  // compute capability

}  // namespace

CudaRequirements cudaRequirements() {
    CudaRequirements needed;
    needed.built = true;
    needed.toolkitVersion = CUDART_VERSION;
    return needed;
}

std::unique_ptr<Backend> openCudaBackend(const DeviceInfo& device, bool tf32) {
    checkCuda(cudaSetDevice(device.index), "opening the device");
    // Memory that was freed stays with the program: the next matrix takes it without asking.
    cudaMemPool_t pool = nullptr;
    checkCuda(cudaDeviceGetDefaultMemPool(&pool, device.index), "opening the device");
    std::uint64_t keep = UINT64_MAX;
    checkCuda(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep),
              "opening the device");
    int singleToDouble = 0;
    checkCuda(cudaDeviceGetAttribute(&singleToDouble, cudaDevAttrSingleToDoublePrecisionPerfRatio,
                                     device.index),
              "opening the device");
    // Devices for computing have both: quick doubles, and tensor cores far quicker than float32.
    const bool computes = singleToDouble <= kFastDoubles;
    ProductPrecisions products;
    products.steps =
        computes && device.major >= kFirstWithTf32 ? StepProducts::Split : StepProducts::Float32;
    products.onTheWay = tf32 ? StepProducts::Tf32 : products.steps;
    products.grams = computes ? GramProducts::Double : GramProducts::Float32;
    return std::make_unique<CudaBackend>(describe(device), products);
}

std::int64_t devicePeakBytes(const Backend& backend) {
    const auto* cuda = dynamic_cast<const CudaBackend*>(&backend);
    return cuda != nullptr ? cuda->peakBytes() : 0;
}

}  // namespace cospadi
