#include "gpu/device_memory.h"

#include <algorithm>
#include <string>

namespace cospadi {

void checkCuda(cudaError_t status, const char* doing) {
    if (status != cudaSuccess) {
        throw DeviceError(
            std::string("the device failed: ") + cudaGetErrorString(status), doing,
            "see whether the driver still lists it (nvidia-smi), then resume the run; "
            "--device cpu goes on without it");
    }
}

DeviceMemory::DeviceMemory() { checkCuda(cudaStreamCreate(&m_stream), "creating a stream"); }

DeviceMemory::~DeviceMemory() { cudaStreamDestroy(m_stream); }

void DeviceMemory::synchronize(const char* doing) const {
    checkCuda(cudaStreamSynchronize(m_stream), doing);
}

void* DeviceMemory::allocate(std::int64_t bytes) {
    void* block = nullptr;
    const cudaError_t status = cudaMallocAsync(&block, static_cast<std::size_t>(bytes), m_stream);
    if (status == cudaErrorMemoryAllocation) {
        cudaGetLastError();  // it is reported here, not at the next launch
        throw OutOfDeviceMemory(std::to_string((bytes >> 20) + 1) + " MB");
    }
    checkCuda(status, "allocating device memory");
    m_held += bytes;
    m_peak = std::max(m_peak, m_held);
    return block;
}

std::int64_t DeviceMemory::availableBytes() const {
    const char* doing = "asking for free memory";
    std::size_t free = 0;
    std::size_t total = 0;
    checkCuda(cudaMemGetInfo(&free, &total), doing);
    int device = 0;
    cudaMemPool_t pool = nullptr;
    std::uint64_t reserved = 0;
    std::uint64_t used = 0;
    checkCuda(cudaGetDevice(&device), doing);
    checkCuda(cudaDeviceGetDefaultMemPool(&pool, device), doing);
    checkCuda(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved), doing);
    checkCuda(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used), doing);
    return static_cast<std::int64_t>(free + reserved - used);
}

void DeviceMemory::release(void* block, std::int64_t bytes) noexcept {
    cudaFreeAsync(block, m_stream);
    m_held -= bytes;
}

}  // namespace cospadi
