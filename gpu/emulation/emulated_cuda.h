// CUDA's execution model on the host, so that kernels are tested where there is no device: a grid
// is a loop over blocks, a thread of a block is a fibre, __syncthreads and the warp's shuffles
// switch between fibres. Nothing else runs in between, so a kernel gives the same bits every time.
// What only goes wrong by chance on a device is made visible here:
//   - setThreadOrder() runs a block's threads forwards, backwards or shuffled: a result that
//     depends on it has a race inside the block;
//   - a barrier that not all threads of the block reach, or a shuffle without the whole warp, ends
//     in std::logic_error that says so;
//   - emulated_runtime.h does the same for memory, and plays a full and a lost device.
// Only what the kernels and CudaBackend use is here, under CUDA's names.
// Thread-safety: one grid at a time in the process; a second waits.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>

#include "gpu/emulation/emulated_runtime.h"

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

namespace cospadi::emulation {

enum class ThreadOrder { Forwards, Backwards, Shuffled };
void setThreadOrder(ThreadOrder order);

// Launches so far: a test of "no launch for nothing to do" can count them.
std::size_t launches();

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

inline float __uint_as_float(unsigned bits) {
    float value = 0;
    std::memcpy(&value, &bits, sizeof(bits));
    return value;
}

template <typename T>
T atomicAdd(T* address, T value) {
    const T before = *address;
    *address = before + value;
    return before;
}
