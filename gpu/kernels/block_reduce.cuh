// Reductions over a block. The order of the additions is fixed, so the same input gives the same
// bits on every run; every thread gets the result. All threads of the block must take part.
#pragma once

#include "gpu/execution.h"

namespace cospadi {

constexpr int kThreads = 256;  // a block of every kernel here
constexpr int kWarps = kThreads / kWarpSize;

template <typename T>
__device__ T warpSum(T value) {
    for (int step = kWarpSize / 2; step > 0; step /= 2) {
        value += __shfl_xor_sync(kFullWarp, value, step);
    }
    return value;
}

template <typename T>
__device__ T blockSum(T value) {
    __shared__ T parts[kWarps];
    value = warpSum(value);
    if (threadIdx.x % kWarpSize == 0) {
        parts[threadIdx.x / kWarpSize] = value;
    }
    __syncthreads();
    T sum = 0;
    for (int i = 0; i < kWarps; ++i) {
        sum += parts[i];
    }
    __syncthreads();
    return sum;
}

template <typename T>
__device__ T blockMax(T value) {
    __shared__ T parts[kWarps];
    for (int step = kWarpSize / 2; step > 0; step /= 2) {
        const T other = __shfl_xor_sync(kFullWarp, value, step);
        value = other > value ? other : value;
    }
    if (threadIdx.x % kWarpSize == 0) {
        parts[threadIdx.x / kWarpSize] = value;
    }
    __syncthreads();
    T most = parts[0];
    for (int i = 1; i < kWarps; ++i) {
        most = parts[i] > most ? parts[i] : most;
    }
    __syncthreads();
    return most;
}

}  // namespace cospadi
