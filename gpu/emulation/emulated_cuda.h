// CUDA's execution model on the host, so that kernels are tested where there is no device: a grid
// is a loop over blocks, a thread of a block is a fibre, __syncthreads and the warp's shuffles
// switch between fibres. Nothing else runs in between, so a kernel gives the same bits every time.
// What only goes wrong by chance on a device is made visible here:
//   - setThreadOrder() runs a block's threads forwards, backwards or shuffled: a result that
//   depends
//     on it has a race inside the block;
//   - a barrier that not all threads of the block reach, or a shuffle without the whole warp, ends
//     in std::logic_error that says so;
//   - device memory starts as NaN and lies in heap blocks of its own, where AddressSanitizer sees
//   an
//     access beside them;
//   - failAllocationsAbove() and loseDevice() play a full and a lost device.
// Only what the kernels and CudaBackend use is here, under CUDA's names.
// Thread-safety: one grid at a time in the process; a second waits.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>

#define __global__
#define __device__
#define __shared__ static
#define __launch_bounds__(...)

struct dim3 {
    unsigned x = 1, y = 1, z = 1;
    constexpr dim3(unsigned newX = 1, unsigned newY = 1, unsigned newZ = 1)
        : x(newX), y(newY), z(newZ) {}
};

struct alignas(16) float4 {
    float x, y, z, w;
};

enum cudaError_t {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorDevicesUnavailable = 46,
    cudaErrorInvalidResourceHandle = 400
};
enum cudaMemcpyKind {
    cudaMemcpyHostToDevice = 1,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice
};
enum cudaMemPoolAttr { cudaMemPoolAttrReservedMemCurrent = 5, cudaMemPoolAttrUsedMemCurrent = 7 };
using cudaStream_t = struct EmulatedStream*;
using cudaMemPool_t = struct EmulatedPool*;

const char* cudaGetErrorString(cudaError_t status);
cudaError_t cudaGetLastError();
cudaError_t cudaStreamCreate(cudaStream_t* stream);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaMallocAsync(void** memory, std::size_t bytes, cudaStream_t stream);
cudaError_t cudaFreeAsync(void* memory, cudaStream_t stream);
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream);
// Of the host; not counted as held.
cudaError_t cudaMallocHost(void** memory, std::size_t bytes);
cudaError_t cudaFreeHost(void* memory);
cudaError_t cudaMemsetAsync(void* memory, int value, std::size_t bytes, cudaStream_t stream);
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total);
// Any number is a device: all share one memory, each thread has a current one. What is queued on a
// stream of another device fails, of which CUDA itself lets pass the copies.
cudaError_t cudaGetDevice(int* device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device);
// What was freed is kept by nobody: nothing is in reserve but what keepInPool() says.
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value);
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, std::size_t keep);

namespace cospadi::emulation {

enum class ThreadOrder { Forwards, Backwards, Shuffled };
void setThreadOrder(ThreadOrder order);

// Allocations fail once more than `bytes` would be held; 0 takes the limit away.
void failAllocationsAbove(std::size_t bytes);
// As if `bytes` had been freed in pieces that no allocation can use: they count as held until the
// pool is trimmed.
void keepInPool(std::size_t bytes);
// Every call fails from now on, as after a fault of the device; false gives it back.
void loseDevice(bool lost);
std::size_t bytesHeld();
// Launches so far: a test of "no launch for nothing to do" can count them.
std::size_t launches();
// Calls of cudaSetDevice() and cudaMemPoolTrimTo() so far.
std::size_t deviceChanges();
std::size_t trims();

cudaError_t run(dim3 grid, dim3 block, cudaStream_t stream, const std::function<void()>& body);

// ---- of the thread that is running
struct Place {
    dim3 thread, block, blockSize, gridSize;
};
extern const Place* place;

void syncBlock();
// Every lane gives 8 bytes and gets the array of what all 32 gave.
const std::uint64_t* exchangeInWarp(unsigned mask, std::uint64_t bits);

template <typename T>
T shuffled(unsigned mask, T value, unsigned lane) {
    static_assert(sizeof(T) <= sizeof(std::uint64_t));
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(T));
    bits = exchangeInWarp(mask, bits)[lane % 32];
    std::memcpy(&value, &bits, sizeof(T));
    return value;
}

}  // namespace cospadi::emulation

#define threadIdx (::cospadi::emulation::place->thread)
#define blockIdx (::cospadi::emulation::place->block)
#define blockDim (::cospadi::emulation::place->blockSize)
#define gridDim (::cospadi::emulation::place->gridSize)

inline void __syncthreads() { cospadi::emulation::syncBlock(); }

template <typename T>
T __shfl_xor_sync(unsigned mask, T value, int laneMask) {
    return cospadi::emulation::shuffled(mask, value,
                                        threadIdx.x % 32 ^ static_cast<unsigned>(laneMask));
}

inline unsigned __ballot_sync(unsigned mask, bool vote) {
    const std::uint64_t* votes = cospadi::emulation::exchangeInWarp(mask, vote ? 1 : 0);
    unsigned bits = 0;
    for (unsigned lane = 0; lane < 32; ++lane) {
        bits |= votes[lane] != 0 ? 1U << lane : 0U;
    }
    return bits;
}

inline int __popc(unsigned bits) { return __builtin_popcount(bits); }

inline unsigned __float_as_uint(float value) {
    unsigned bits = 0;
    std::memcpy(&bits, &value, sizeof(bits));
    return bits;
}

template <typename T>
T atomicAdd(T* address, T value) {
    const T before = *address;
    *address = before + value;
    return before;
}
