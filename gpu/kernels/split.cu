#include "gpu/kernels/split.h"

#include "gpu/kernels/block_reduce.cuh"

namespace cospadi::kernels {

namespace {

constexpr unsigned kDropped = 13;  // bits of float32's mantissa that TF32 lacks
constexpr unsigned kMagnitude = 0x7fffffffU;
constexpr unsigned kInfinity = 0x7f800000U;

// To nearest, ties to even. The NaN that devices make is all ones: rounded up it would be −0.
__device__ float roundedToTf32(float value) {
    const unsigned bits = __float_as_uint(value);
    if ((bits & kMagnitude) > kInfinity) {
        return value;
    }
    const unsigned half = (1U << (kDropped - 1)) - 1 + (bits >> kDropped & 1U);
    return __uint_as_float((bits + half) & ~((1U << kDropped) - 1));
}

__global__ void __launch_bounds__(kThreads)
    splitKernel(std::int64_t rows, std::int64_t cols, const float* a, std::int64_t lda,
                std::int64_t ld, float* high, float* low) {
    const float* from = a + blockIdx.x * lda;
    float* above = high + blockIdx.x * ld;
    float* below = low + blockIdx.x * ld;
    for (std::int64_t i = threadIdx.x; i < ld; i += kThreads) {
        const float value = i < rows && blockIdx.x < cols ? from[i] : 0.0F;
        const float rounded = roundedToTf32(value);
        above[i] = rounded;
        below[i] = roundedToTf32(value - rounded);
    }
}

}  // namespace

void splitToTf32(std::int64_t rows, std::int64_t cols, const float* a, std::int64_t lda,
                 std::int64_t ld, std::int64_t allCols, float* high, float* low,
                 cudaStream_t stream) {
    if (allCols == 0) {
        return;
    }
    launch("splitting a matrix", splitKernel, static_cast<unsigned>(allCols), kThreads, stream,
           rows, cols, a, lda, ld, high, low);
}

}  // namespace cospadi::kernels
