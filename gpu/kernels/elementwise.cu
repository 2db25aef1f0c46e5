#include "gpu/kernels/elementwise.h"

#include "gpu/kernels/block_reduce.cuh"

namespace cospadi::kernels {

namespace {

constexpr std::int64_t kMostBlocks = 16384;  // grid strides cover the rest

unsigned gridFor(std::int64_t n) {
    const unsigned blocks = blocksFor(n, kThreads);
    return blocks < kMostBlocks ? blocks : static_cast<unsigned>(kMostBlocks);
}

__device__ std::int64_t firstIndex() {
    return static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
}

__device__ std::int64_t stride() { return static_cast<std::int64_t>(gridDim.x) * kThreads; }

__global__ void __launch_bounds__(kThreads)
    axpbyKernel(std::int64_t n, float alpha, const float* a, float beta, float* b) {
    for (std::int64_t i = firstIndex(); i < n; i += stride()) {
        b[i] = alpha * a[i] + beta * b[i];
    }
}

__global__ void __launch_bounds__(kThreads)
    replaceIfKernel(std::int64_t n, const int* condition, const float* a, float* b) {
    if (*condition == 0) {
        return;
    }
    for (std::int64_t i = firstIndex(); i < n; i += stride()) {
        b[i] = a[i];
    }
}

__global__ void __launch_bounds__(kThreads)
    scaleColumnsKernel(std::int64_t rows, std::int64_t n, const float* factors, float* a) {
    for (std::int64_t i = firstIndex(); i < n; i += stride()) {
        a[i] *= factors[i / rows];
    }
}

__global__ void __launch_bounds__(kThreads)
    scaleRowsKernel(std::int64_t rows, std::int64_t n, const float* factors, float* a) {
    for (std::int64_t i = firstIndex(); i < n; i += stride()) {
        a[i] *= factors[i % rows];
    }
}

template <typename T>
__global__ void __launch_bounds__(kThreads) mirrorKernel(std::int64_t n, T* c) {
    for (std::int64_t i = firstIndex(); i < n * n; i += stride()) {
        const std::int64_t row = i % n;
        const std::int64_t column = i / n;
        if (row > column) {
            c[i] = c[column + row * n];
        }
    }
}

__global__ void __launch_bounds__(kThreads)
    equilibrationKernel(std::int64_t n, const float* a, float* scale) {
    for (std::int64_t i = firstIndex(); i < n; i += stride()) {
        const float diagonal = a[i + i * n];
        scale[i] = diagonal > 0 ? 1 / sqrtf(diagonal) : 1.0F;
    }
}

__global__ void __launch_bounds__(kThreads)
    equilibrateKernel(std::int64_t n, const float* a, const float* scale, float ridge, float* to) {
    for (std::int64_t i = firstIndex(); i < n * n; i += stride()) {
        const std::int64_t row = i % n;
        const std::int64_t column = i / n;
        to[i] = row == column ? 1 + ridge : scale[row] * a[i] * scale[column];
    }
}

template <typename T>
__global__ void __launch_bounds__(kThreads)
    affineIdentityKernel(std::int64_t n, T alpha, T beta, T* g) {
    for (std::int64_t i = firstIndex(); i < n * n; i += stride()) {
        g[i] = beta * g[i] + (i % n == i / n ? alpha : T{0});
    }
}

__global__ void __launch_bounds__(kThreads) clearLowerKernel(std::int64_t n, double* c) {
    for (std::int64_t i = firstIndex(); i < n * n; i += stride()) {
        if (i % n > i / n) {
            c[i] = 0;
        }
    }
}

__global__ void __launch_bounds__(kThreads)
    addToKernel(std::int64_t rows, std::int64_t n, const float* from, double* to, std::int64_t ld) {
    for (std::int64_t i = firstIndex(); i < n; i += stride()) {
        to[i % rows + i / rows * ld] += static_cast<double>(from[i]);
    }
}

__global__ void __launch_bounds__(kThreads)
    copyRowsKernel(std::int64_t rows, std::int64_t n, const float* from, std::int64_t ldFrom,
                   float* to, std::int64_t ldTo) {
    for (std::int64_t i = firstIndex(); i < n; i += stride()) {
        to[i % rows + i / rows * ldTo] = from[i % rows + i / rows * ldFrom];
    }
}

// A block a square, through shared memory, so that reads and writes run down columns.
__global__ void __launch_bounds__(kThreads)
    transposeKernel(std::int64_t rows, std::int64_t cols, std::int64_t squaresDown,
                    const float* from, float* to) {
    __shared__ float square[kWarpSize][kWarpSize + 1];  // the odd length spreads over all banks
    const std::int64_t top = blockIdx.x % squaresDown * kWarpSize;
    const std::int64_t left = blockIdx.x / squaresDown * kWarpSize;
    const auto lane = static_cast<int>(threadIdx.x) % kWarpSize;
    const auto warp = static_cast<int>(threadIdx.x) / kWarpSize;
    for (int j = warp; j < kWarpSize; j += kWarps) {
        if (top + lane < rows && left + j < cols) {
            square[j][lane] = from[top + lane + (left + j) * rows];
        }
    }
    __syncthreads();
    for (int i = warp; i < kWarpSize; i += kWarps) {
        if (top + i < rows && left + lane < cols) {
            to[left + lane + (top + i) * cols] = square[lane][i];
        }
    }
}

template <typename From, typename To>
__global__ void __launch_bounds__(kThreads)
    convertKernel(std::int64_t n, const From* from, To* to) {
    for (std::int64_t i = firstIndex(); i < n; i += stride()) {
        to[i] = static_cast<To>(from[i]);
    }
}

template <typename T>
__global__ void __launch_bounds__(kThreads)
    reverseColumnsKernel(std::int64_t rows, std::int64_t n, std::int64_t size, const T* from,
                         T* to) {
    for (std::int64_t i = firstIndex(); i < size; i += stride()) {
        to[i] = from[i % rows + (n - 1 - i / rows) * rows];
    }
}

__global__ void __launch_bounds__(kThreads)
    scaleByPowerKernel(std::int64_t rows, std::int64_t n, const double* factors, double power,
                       double* a) {
    for (std::int64_t i = firstIndex(); i < n; i += stride()) {
        a[i] *= pow(factors[i / rows], power);
    }
}

}  // namespace

void axpby(std::int64_t n, float alpha, const float* a, float beta, float* b, cudaStream_t stream) {
    launch("axpby", axpbyKernel, gridFor(n), kThreads, stream, n, alpha, a, beta, b);
}

void replaceIf(std::int64_t n, const int* condition, const float* a, float* b,
               cudaStream_t stream) {
    launch("replace", replaceIfKernel, gridFor(n), kThreads, stream, n, condition, a, b);
}

void scaleColumns(std::int64_t rows, std::int64_t cols, const float* factors, float* a,
                  cudaStream_t stream) {
    launch("scale columns", scaleColumnsKernel, gridFor(rows * cols), kThreads, stream, rows,
           rows * cols, factors, a);
}

void scaleRows(std::int64_t rows, std::int64_t cols, const float* factors, float* a,
               cudaStream_t stream) {
    launch("scale rows", scaleRowsKernel, gridFor(rows * cols), kThreads, stream, rows, rows * cols,
           factors, a);
}

template <typename T>
void mirrorUpper(std::int64_t n, T* c, cudaStream_t stream) {
    launch("mirror", mirrorKernel<T>, gridFor(n * n), kThreads, stream, n, c);
}

template void mirrorUpper<float>(std::int64_t, float*, cudaStream_t);
template void mirrorUpper<double>(std::int64_t, double*, cudaStream_t);

void equilibration(std::int64_t n, const float* a, float* scale, cudaStream_t stream) {
    launch("equilibration", equilibrationKernel, gridFor(n), kThreads, stream, n, a, scale);
}

void equilibrate(std::int64_t n, const float* a, const float* scale, float ridge, float* to,
                 cudaStream_t stream) {
    launch("equilibrate", equilibrateKernel, gridFor(n * n), kThreads, stream, n, a, scale, ridge,
           to);
}

template <typename T>
void affineIdentity(std::int64_t n, T alpha, T beta, T* g, cudaStream_t stream) {
    launch("affine identity", affineIdentityKernel<T>, gridFor(n * n), kThreads, stream, n, alpha,
           beta, g);
}

template void affineIdentity<float>(std::int64_t, float, float, float*, cudaStream_t);
template void affineIdentity<double>(std::int64_t, double, double, double*, cudaStream_t);

void clearLower(std::int64_t n, double* c, cudaStream_t stream) {
    launch("clear a triangle", clearLowerKernel, gridFor(n * n), kThreads, stream, n, c);
}

void addTo(std::int64_t rows, std::int64_t cols, const float* from, double* to, std::int64_t ld,
           cudaStream_t stream) {
    launch("add", addToKernel, gridFor(rows * cols), kThreads, stream, rows, rows * cols, from, to,
           ld);
}

void copyRows(std::int64_t rows, std::int64_t cols, const float* from, std::int64_t ldFrom,
              float* to, std::int64_t ldTo, cudaStream_t stream) {
    launch("copy rows", copyRowsKernel, gridFor(rows * cols), kThreads, stream, rows, rows * cols,
           from, ldFrom, to, ldTo);
}

void transpose(std::int64_t rows, std::int64_t cols, const float* from, float* to,
               cudaStream_t stream) {
    const unsigned down = blocksFor(rows, kWarpSize);
    launch("transpose", transposeKernel, down * blocksFor(cols, kWarpSize), kThreads, stream, rows,
           cols, static_cast<std::int64_t>(down), from, to);
}

void widen(std::int64_t n, const float* from, double* to, cudaStream_t stream) {
    launch("widen", convertKernel<float, double>, gridFor(n), kThreads, stream, n, from, to);
}

void narrow(std::int64_t n, const double* from, float* to, cudaStream_t stream) {
    launch("narrow", convertKernel<double, float>, gridFor(n), kThreads, stream, n, from, to);
}

template <typename T>
void reverseColumns(std::int64_t rows, std::int64_t n, std::int64_t count, const T* from, T* to,
                    cudaStream_t stream) {
    launch("reverse columns", reverseColumnsKernel<T>, gridFor(rows * count), kThreads, stream,
           rows, n, rows * count, from, to);
}
template void reverseColumns(std::int64_t, std::int64_t, std::int64_t, const float*, float*,
                             cudaStream_t);
template void reverseColumns(std::int64_t, std::int64_t, std::int64_t, const double*, double*,
                             cudaStream_t);

void scaleColumnsByPower(std::int64_t rows, std::int64_t cols, const double* factors, double power,
                         double* a, cudaStream_t stream) {
    launch("scale columns", scaleByPowerKernel, gridFor(rows * cols), kThreads, stream, rows,
           rows * cols, factors, power, a);
}

}  // namespace cospadi::kernels
