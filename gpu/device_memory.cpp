#include "gpu/device_memory.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>

namespace cospadi {

namespace {

constexpr std::size_t kLandingBytes = 64 << 10;

std::atomic<int> inUse = 0;  // objects of the program, which share their device's pool

}  // namespace

void checkCuda(cudaError_t status, const char* doing) {
    if (status == cudaErrorMemoryAllocation) {
        cudaGetLastError();  // the next launch would take it for its own, and start twice
        throw OutOfDeviceMemory(doing);
    }
    if (status != cudaSuccess) {
        throw DeviceError(std::string("the device failed: ") + cudaGetErrorString(status), doing,
                          "check that the driver still lists it (nvidia-smi), then resume the run; "
                          "--device cpu continues without it");
    }
}

void trimDeviceMemory() {
    const char* doing = "giving back device memory";
    int device = 0;
    cudaMemPool_t pool = nullptr;
    checkCuda(cudaGetDevice(&device), doing);
    checkCuda(cudaDeviceGetDefaultMemPool(&pool, device), doing);
    checkCuda(cudaDeviceSynchronize(), doing);
    checkCuda(cudaMemPoolTrimTo(pool, 0), doing);
}

DeviceMemory::DeviceMemory() {
    checkCuda(cudaGetDevice(&m_device), "creating a stream");
    checkCuda(cudaDeviceGetDefaultMemPool(&m_pool, m_device), "creating a stream");
    checkCuda(cudaStreamCreate(&m_stream), "creating a stream");
    checkCuda(cudaMallocHost(&m_landing, kLandingBytes), "creating a stream");
    ++inUse;
}

// With the last one, what the pool keeps goes back: a program that lives on would count it as taken
// when it looks for a device with free memory for its next work, and so would every other program.
DeviceMemory::~DeviceMemory() {
    makeCurrent();
    cudaStreamSynchronize(m_stream);  // what was freed on it does not leave the pool before
    cudaStreamDestroy(m_stream);
    cudaFreeHost(m_landing);
    if (--inUse == 0) {
        cudaMemPoolTrimTo(m_pool, 0);
    }
}

// The runtime is asked each time, which costs it next to nothing: others who use CUDA on this
// thread change its device as well.
cudaError_t DeviceMemory::makeCurrent() const noexcept {
    int current = 0;
    const cudaError_t status = cudaGetDevice(&current);
    return status != cudaSuccess || current == m_device ? status : cudaSetDevice(m_device);
}

cudaStream_t DeviceMemory::stream() const {
    checkCuda(makeCurrent(), "using the device");
    return m_stream;
}

void DeviceMemory::synchronize(const char* doing) const {
    checkCuda(makeCurrent(), doing);
    checkCuda(cudaStreamSynchronize(m_stream), doing);
}

void DeviceMemory::download(void* to, const void* from, std::size_t bytes,
                            const char* doing) const {
    const bool lands = bytes <= kLandingBytes;
    checkCuda(
        cudaMemcpyAsync(lands ? m_landing : to, from, bytes, cudaMemcpyDeviceToHost, stream()),
        doing);
    synchronize(doing);
    if (lands) {
        std::memcpy(to, m_landing, bytes);
    }
}

void* DeviceMemory::allocate(std::int64_t bytes) {
    checkCuda(makeCurrent(), "allocating device memory");
    void* block = nullptr;
    const auto tried = [&] {
        const cudaError_t status =
            cudaMallocAsync(&block, static_cast<std::size_t>(bytes), m_stream);
        if (status == cudaErrorMemoryAllocation) {
            cudaGetLastError();  // it is reported here, not at the next launch
        }
        return status;
    };
    cudaError_t status = tried();
    if (status == cudaErrorMemoryAllocation) {
        trim();  // what the pool keeps may lie in pieces that are too small
        status = tried();
    }
    if (status == cudaErrorMemoryAllocation) {
        throw OutOfDeviceMemory(std::to_string((bytes >> 20) + 1) + " MB");
    }
    checkCuda(status, "allocating device memory");
    m_held += bytes;
    m_peak = std::max(m_peak, m_held);
    return block;
}

std::int64_t DeviceMemory::availableBytes() const {
    const char* doing = "asking for free memory";
    checkCuda(makeCurrent(), doing);
    std::size_t free = 0;
    std::size_t total = 0;
    checkCuda(cudaMemGetInfo(&free, &total), doing);
    std::uint64_t reserved = 0;
    std::uint64_t used = 0;
    checkCuda(cudaMemPoolGetAttribute(m_pool, cudaMemPoolAttrReservedMemCurrent, &reserved), doing);
    checkCuda(cudaMemPoolGetAttribute(m_pool, cudaMemPoolAttrUsedMemCurrent, &used), doing);
    return static_cast<std::int64_t>(free + reserved - used);
}

void DeviceMemory::trim() {
    checkCuda(makeCurrent(), "giving back device memory");
    trimDeviceMemory();
}

void DeviceMemory::release(void* block, std::int64_t bytes) noexcept {
    makeCurrent();
    cudaFreeAsync(block, m_stream);
    m_held -= bytes;
}

}  // namespace cospadi
