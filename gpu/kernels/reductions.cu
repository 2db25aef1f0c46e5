#include "gpu/kernels/reductions.h"

#include "gpu/kernels/block_reduce.cuh"

namespace cospadi::kernels {

namespace {

constexpr std::int64_t kColumnsATask = 128;  // of a row count

struct Product {
    const float* a;
    const float* b;
    __device__ double operator()(std::int64_t i) const {
        return static_cast<double>(a[i]) * static_cast<double>(b[i]);
    }
};

struct Square {
    const double* a;
    __device__ double operator()(std::int64_t i) const { return a[i] * a[i]; }
};

struct IdentityDistance {
    const float* g;
    std::int64_t n;
    __device__ double operator()(std::int64_t i) const {
        const double d = static_cast<double>(g[i]) - (i % n == i / n ? 1.0 : 0.0);
        return d * d;
    }
};

template <typename Term>
__global__ void __launch_bounds__(kThreads)
    partialSumsKernel(std::int64_t n, Term term, double* partials) {
    double sum = 0;
    const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * kThreads;
    for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x; i < n;
         i += step) {
        sum += term(i);
    }
    sum = blockSum(sum);
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = sum;
    }
}

__global__ void __launch_bounds__(kThreads)
    finalSumKernel(int count, const double* partials, double* result) {
    double sum = 0;
    for (int i = static_cast<int>(threadIdx.x); i < count; i += kThreads) {
        sum += partials[i];
    }
    sum = blockSum(sum);
    if (threadIdx.x == 0) {
        result[0] = sum;
    }
}

template <typename Term>
void sum(std::int64_t n, Term term, double* partials, double* result, cudaStream_t stream) {
    unsigned blocks = blocksFor(n, 4 * kThreads);
    blocks = blocks < kPartials ? blocks : static_cast<unsigned>(kPartials);
    launch("partial sums", partialSumsKernel<Term>, blocks, kThreads, stream, n, term, partials);
    launch("sum", finalSumKernel, 1, kThreads, stream, static_cast<int>(blocks), partials, result);
}

template <typename T>
__device__ double squaredNormOf(std::int64_t rows, const T* column) {
    double sum = 0;
    for (std::int64_t i = threadIdx.x; i < rows; i += kThreads) {
        const auto value = static_cast<double>(column[i]);
        sum += value * value;
    }
    return blockSum(sum);
}

__global__ void __launch_bounds__(kThreads)
    columnNormsKernel(std::int64_t rows, const float* a, double* norms) {
    const double sum = squaredNormOf(rows, a + blockIdx.x * rows);
    if (threadIdx.x == 0) {
        norms[blockIdx.x] = sum;
    }
}

// A thread a row, a block a range of columns: reads are coalesced, integer sums need no order.
__global__ void __launch_bounds__(kThreads)
    rowCountsKernel(std::int64_t rows, std::int64_t cols, const float* s,
                    unsigned long long* counts) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
    if (i >= rows) {
        return;
    }
    const std::int64_t first = static_cast<std::int64_t>(blockIdx.y) * kColumnsATask;
    const std::int64_t last = first + kColumnsATask < cols ? first + kColumnsATask : cols;
    unsigned long long count = 0;
    for (std::int64_t j = first; j < last; ++j) {
        count += s[i + j * rows] != 0 ? 1 : 0;
    }
    atomicAdd(counts + i, count);
}

template <typename T>
__global__ void __launch_bounds__(kThreads)
    diagonalKernel(std::int64_t rows, std::int64_t n, const T* a, double* values) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
    if (i < n) {
        values[i] = static_cast<double>(a[i + i * rows]);
    }
}

__global__ void __launch_bounds__(kThreads)
    brokenPivotsKernel(std::int64_t n, const float* a, int* failed) {
    int broken = 0;
    for (std::int64_t i = threadIdx.x; i < n; i += kThreads) {
        const float pivot = a[i + i * n];
        broken |= pivot > 0 && pivot < HUGE_VALF ? 0 : 1;
    }
    if (blockMax(broken) != 0 && threadIdx.x == 0) {
        *failed = static_cast<int>(n);
    }
}

__global__ void __launch_bounds__(kThreads)
    normalizeKernel(std::int64_t rows, float* a, float* norms) {
    float* column = a + blockIdx.x * rows;
    const auto norm = static_cast<float>(sqrt(squaredNormOf(rows, column)));
    if (threadIdx.x == 0) {
        norms[blockIdx.x] = norm;
    }
    if (norm > 0) {
        const float scale = 1 / norm;
        for (std::int64_t i = threadIdx.x; i < rows; i += kThreads) {
            column[i] *= scale;
        }
    }
}

template <typename T>
__global__ void __launch_bounds__(kThreads)
    orientKernel(std::int64_t rows, const T* from, float* to) {
    const T* column = from + blockIdx.x * rows;
    double largest = 0;
    for (std::int64_t i = threadIdx.x; i < rows; i += kThreads) {
        largest = fmax(largest, fabs(static_cast<double>(column[i])));
    }
    largest = blockMax(largest);
    // Of equal magnitudes the first counts: the smallest row is the largest of the negatives.
    long long first = -rows;
    for (std::int64_t i = threadIdx.x; i < rows; i += kThreads) {
        if (fabs(static_cast<double>(column[i])) == largest && -i > first) {
            first = -i;
        }
    }
    first = blockMax(first);
    const double length = sqrt(squaredNormOf(rows, column));
    const double sign = first > -rows && column[-first] < 0 ? -1.0 : 1.0;
    const double scale = length > 0 ? sign / length : 0.0;
    for (std::int64_t i = threadIdx.x; i < rows; i += kThreads) {
        to[i + blockIdx.x * rows] = static_cast<float>(column[i] * scale);
    }
}

}  // namespace

void dot(std::int64_t n, const float* a, const float* b, double* partials, double* result,
         cudaStream_t stream) {
    sum(n, Product{a, b}, partials, result, stream);
}

void distanceFromIdentity(std::int64_t n, const float* g, double* partials, double* result,
                          cudaStream_t stream) {
    sum(n * n, IdentityDistance{g, n}, partials, result, stream);
}

void squaredColumnNorms(std::int64_t rows, std::int64_t cols, const float* a, double* norms,
                        cudaStream_t stream) {
    if (cols > 0) {
        launch("column norms", columnNormsKernel, static_cast<unsigned>(cols), kThreads, stream,
               rows, a, norms);
    }
}

void rowCounts(std::int64_t rows, std::int64_t cols, const float* s, long long* counts,
               cudaStream_t stream) {
    checkCuda(cudaMemsetAsync(counts, 0, static_cast<std::size_t>(rows) * sizeof(*counts), stream),
              "row counts");
    launch("row counts", rowCountsKernel,
           dim3(blocksFor(rows, kThreads), blocksFor(cols, kColumnsATask)), kThreads, stream, rows,
           cols, s, reinterpret_cast<unsigned long long*>(counts));
}

void squaredNorm(std::int64_t n, const double* a, double* partials, double* result,
                 cudaStream_t stream) {
    sum(n, Square{a}, partials, result, stream);
}

template <typename T>
void diagonal(std::int64_t rows, std::int64_t n, const T* a, double* values, cudaStream_t stream) {
    launch("diagonal", diagonalKernel<T>, blocksFor(n, kThreads), kThreads, stream, rows, n, a,
           values);
}
template void diagonal(std::int64_t, std::int64_t, const float*, double*, cudaStream_t);
template void diagonal(std::int64_t, std::int64_t, const double*, double*, cudaStream_t);

void findBrokenPivots(std::int64_t n, const float* a, int* failed, cudaStream_t stream) {
    launch("pivots", brokenPivotsKernel, 1, kThreads, stream, n, a, failed);
}

void normalizeColumns(std::int64_t rows, std::int64_t cols, float* a, float* norms,
                      cudaStream_t stream) {
    if (cols > 0) {
        launch("normalise columns", normalizeKernel, static_cast<unsigned>(cols), kThreads, stream,
               rows, a, norms);
    }
}

template <typename T>
void orientColumns(std::int64_t rows, std::int64_t cols, const T* from, float* to,
                   cudaStream_t stream) {
    if (cols > 0) {
        launch("orient columns", orientKernel<T>, static_cast<unsigned>(cols), kThreads, stream,
               rows, from, to);
    }
}
template void orientColumns(std::int64_t, std::int64_t, const float*, float*, cudaStream_t);
template void orientColumns(std::int64_t, std::int64_t, const double*, float*, cudaStream_t);

}  // namespace cospadi::kernels
