#include "gpu/emulation/emulated_runtime.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <new>
#include <unordered_map>

struct EmulatedStream {
    int device = 0;
};

namespace cospadi::emulation {

namespace {

constexpr std::size_t kTotalBytes = std::size_t{16} << 30;

// What the device holds, and its faults.
struct Memory {
    std::mutex mutex;
    std::unordered_map<void*, std::size_t> blocks;
    std::size_t held = 0;
    std::size_t kept = 0;
    std::size_t limit = 0;
    std::size_t code = 0;
    std::size_t trims = 0;
    bool lost = false;
};

Memory& memory() {
    static Memory instance;
    return instance;
}

thread_local int currentDevice = 0;
std::atomic<std::size_t> deviceChangeCount = 0;

cudaError_t health() { return memory().lost ? cudaErrorDevicesUnavailable : cudaSuccess; }

}  // namespace

void failAllocationsAbove(std::size_t bytes) { memory().limit = bytes; }

void keepInPool(std::size_t bytes) { memory().kept = bytes; }

void needForCode(std::size_t bytes) { memory().code = bytes; }

void loseDevice(bool lost) { memory().lost = lost; }

bool codeFits() {
    auto& m = memory();
    const std::scoped_lock lock(m.mutex);
    return m.code == 0 || m.limit == 0 || m.held + m.kept + m.code <= m.limit;
}

std::size_t bytesHeld() { return memory().held; }

std::size_t deviceChanges() { return deviceChangeCount; }

std::size_t trims() { return memory().trims; }

cudaError_t healthOf(cudaStream_t stream) {
    const bool elsewhere = stream != nullptr && stream->device != currentDevice;
    return health() == cudaSuccess && elsewhere ? cudaErrorInvalidResourceHandle : health();
}

}  // namespace cospadi::emulation

using cospadi::emulation::health;
using cospadi::emulation::healthOf;
using cospadi::emulation::memory;

const char* cudaGetErrorString(cudaError_t status) {
    switch (status) {
        case cudaSuccess:
            return "no error";
        case cudaErrorInvalidValue:
            return "invalid argument";
        case cudaErrorMemoryAllocation:
            return "out of memory";
        case cudaErrorInvalidConfiguration:
            return "invalid configuration argument";
        case cudaErrorDevicesUnavailable:
            return "CUDA-capable device(s) is/are busy or unavailable";
        case cudaErrorInvalidResourceHandle:
            return "invalid resource handle";
    }
    return "unknown error";
}

cudaError_t cudaGetLastError() { return health(); }

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
    if (health() == cudaSuccess) {
        *stream = new EmulatedStream{cospadi::emulation::currentDevice};
    }
    return health();
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    delete stream;
    return health();
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) { return healthOf(stream); }

cudaError_t cudaMallocHost(void** memory, std::size_t bytes) {
    if (health() == cudaSuccess) {
        *memory = ::operator new(bytes);
    }
    return health();
}

cudaError_t cudaFreeHost(void* memory) {
    ::operator delete(memory);
    return cudaSuccess;
}

cudaError_t cudaMallocAsync(void** block, std::size_t bytes, cudaStream_t stream) {
    auto& m = memory();
    const std::scoped_lock lock(m.mutex);
    if (healthOf(stream) != cudaSuccess) {
        return healthOf(stream);
    }
    if (m.limit > 0 && m.held + m.kept + bytes > m.limit) {
        return cudaErrorMemoryAllocation;
    }
    *block = ::operator new(bytes);
    std::memset(*block, 0xff, bytes);  // as floats: NaN
    m.blocks[*block] = bytes;
    m.held += bytes;
    return cudaSuccess;
}

cudaError_t cudaFreeAsync(void* block, cudaStream_t stream) {
    auto& m = memory();
    const std::scoped_lock lock(m.mutex);
    const auto found = m.blocks.find(block);
    if (found == m.blocks.end()) {
        return cudaErrorInvalidValue;
    }
    if (healthOf(stream) == cudaErrorInvalidResourceHandle) {
        return cudaErrorInvalidResourceHandle;
    }
    m.held -= found->second;
    m.blocks.erase(found);
    ::operator delete(block);
    return health();
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind,
                            cudaStream_t stream) {
    if (healthOf(stream) == cudaSuccess && bytes > 0) {
        std::memcpy(to, from, bytes);
    }
    return healthOf(stream);
}

cudaError_t cudaMemsetAsync(void* block, int value, std::size_t bytes, cudaStream_t stream) {
    if (healthOf(stream) == cudaSuccess) {
        std::memset(block, value, bytes);
    }
    return healthOf(stream);
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
    const auto& m = memory();
    *total = m.limit > 0 ? m.limit : cospadi::emulation::kTotalBytes;
    *free = *total - std::min(*total, m.held + m.kept);
    return health();
}

cudaError_t cudaGetDevice(int* device) {
    *device = cospadi::emulation::currentDevice;
    return health();
}

cudaError_t cudaSetDevice(int device) {
    cospadi::emulation::currentDevice = device;
    ++cospadi::emulation::deviceChangeCount;
    return health();
}

cudaError_t cudaDeviceSynchronize() { return health(); }

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int) {
    *pool = nullptr;
    return health();
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t, cudaMemPoolAttr attribute, void* value) {
    const std::uint64_t bytes = attribute == cudaMemPoolAttrReservedMemCurrent ? memory().kept : 0;
    std::memcpy(value, &bytes, sizeof(bytes));
    return health();
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, std::size_t keep) {
    auto& m = memory();
    const std::scoped_lock lock(m.mutex);
    m.kept = std::min(m.kept, keep);
    ++m.trims;
    return health();
}
