#include "gpu/kernels/ksvd.h"

#include "gpu/kernels/block_reduce.cuh"

namespace cospadi::kernels {

namespace {

constexpr int kTile = 32;  // columns whose second use finds them in the cache

unsigned panelsOf(std::int64_t n) {
    const unsigned tiles = blocksFor(n, kTile);
    return tiles < kPanels ? tiles : static_cast<unsigned>(kPanels);
}

__global__ void __launch_bounds__(kThreads)
    gatherRowKernel(std::int64_t k, std::int64_t n, std::int64_t atom, const float* codes,
                    float* row) {
    const std::int64_t j = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
    if (j < n) {
        row[j] = codes[atom + j * k];
    }
}

__global__ void __launch_bounds__(kThreads)
    applyTransposedKernel(std::int64_t d1, std::int64_t n, const float* e, const float* d,
                          const float* row, const float* u, float* image, float* partial,
                          float* shares) {
    __shared__ float tile[kTile];
    const int lane = static_cast<int>(threadIdx.x) % kWarpSize;
    const int warp = static_cast<int>(threadIdx.x) / kWarpSize;
    float overlap = 0;
    for (std::int64_t i = threadIdx.x; i < d1; i += kThreads) {
        overlap += d[i] * u[i];
    }
    overlap = blockSum(overlap);
    float* sum = partial == nullptr ? nullptr : partial + blockIdx.x * d1;
    if (sum != nullptr) {
        for (std::int64_t i = threadIdx.x; i < d1; i += kThreads) {
            sum[i] = 0;
        }
    }
    float share = 0;
    for (std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * kTile; first < n;
         first += static_cast<std::int64_t>(gridDim.x) * kTile) {
        const int width = n - first < kTile ? static_cast<int>(n - first) : kTile;
        for (int c = warp; c < width; c += kWarps) {
            const std::int64_t j = first + c;
            const float coefficient = row[j];
            float product = 0;
            if (coefficient != 0) {  // the same for the whole warp
                for (std::int64_t i = lane; i < d1; i += kWarpSize) {
                    product += e[i + j * d1] * u[i];
                }
                product = warpSum(product) + coefficient * overlap;
            }
            if (lane == 0) {
                tile[c] = product;
                image[j] = product;
            }
        }
        __syncthreads();
        if (sum != nullptr) {
            for (std::int64_t i = threadIdx.x; i < d1; i += kThreads) {
                float part = sum[i];
                for (int c = 0; c < width; ++c) {
                    if (tile[c] != 0) {
                        part += tile[c] * e[i + (first + c) * d1];
                    }
                }
                sum[i] = part;
            }
            for (int c = 0; c < width; ++c) {
                share += tile[c] * row[first + c];
            }
        }
        __syncthreads();
    }
    if (shares != nullptr && threadIdx.x == 0) {
        shares[blockIdx.x] = share;
    }
}

__global__ void __launch_bounds__(kThreads)
    sumPanelsKernel(std::int64_t d1, int panels, const float* d, const float* partial,
                    const float* shares, float* next, double* norms) {
    float share = 0;
    for (int b = 0; b < panels; ++b) {
        share += shares[b];
    }
    double squared = 0;
    for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x; i < d1;
         i += static_cast<std::int64_t>(gridDim.x) * kThreads) {
        float sum = d[i] * share;
        for (int b = 0; b < panels; ++b) {
            sum += partial[i + b * d1];
        }
        next[i] = sum;
        squared += static_cast<double>(sum) * static_cast<double>(sum);
    }
    squared = blockSum(squared);
    if (threadIdx.x == 0) {
        norms[blockIdx.x] = squared;
    }
}

__global__ void __launch_bounds__(kThreads)
    normalizeDirectionKernel(std::int64_t d1, int parts, const float* next, const double* norms,
                             float* u) {
    double squared = 0;
    for (int b = 0; b < parts; ++b) {
        squared += norms[b];
    }
    if (squared > 0) {
        const auto scale = static_cast<float>(1 / sqrt(squared));
        for (std::int64_t i = threadIdx.x; i < d1; i += kThreads) {
            u[i] = next[i] * scale;
        }
    }
}

__global__ void __launch_bounds__(kThreads)
    writeBackKernel(std::int64_t d1, std::int64_t k, std::int64_t atom, const float* d,
                    const float* u, const float* row, const float* image, float* e, float* codes) {
    const std::int64_t j = blockIdx.x;
    const float before = row[j];
    if (before == 0) {
        return;
    }
    const float after = image[j];
    for (std::int64_t i = threadIdx.x; i < d1; i += kThreads) {
        e[i + j * d1] += before * d[i] - after * u[i];
    }
    if (threadIdx.x == 0) {
        codes[atom + j * k] = after;
    }
}

__global__ void __launch_bounds__(kThreads)
    residualKernel(std::int64_t d1, const float* e, const float* d, const float* row, double* r) {
    const std::int64_t j = blockIdx.x;
    const float coefficient = row[j];
    for (std::int64_t i = threadIdx.x; i < d1; i += kThreads) {
        const float value = coefficient != 0 ? e[i + j * d1] + coefficient * d[i] : 0.0F;
        r[i + j * d1] = static_cast<double>(value);
    }
}

unsigned normPartsOf(std::int64_t d1) {
    const unsigned blocks = blocksFor(d1, kThreads);
    return blocks < kNormParts ? blocks : static_cast<unsigned>(kNormParts);
}

}  // namespace

void gatherRow(std::int64_t k, std::int64_t n, std::int64_t atom, const float* codes, float* row,
               cudaStream_t stream) {
    launch("K-SVD", gatherRowKernel, blocksFor(n, kThreads), kThreads, stream, k, n, atom, codes,
           row);
}

void applyTransposed(std::int64_t d1, std::int64_t n, const float* e, const float* d,
                     const float* row, const float* u, float* image, float* partial, float* shares,
                     cudaStream_t stream) {
    launch("K-SVD", applyTransposedKernel, panelsOf(n), kThreads, stream, d1, n, e, d, row, u,
           image, partial, shares);
}

void sumPanels(std::int64_t d1, std::int64_t n, const float* d, const float* partial,
               const float* shares, float* next, double* norms, cudaStream_t stream) {
    launch("K-SVD", sumPanelsKernel, normPartsOf(d1), kThreads, stream, d1,
           static_cast<int>(panelsOf(n)), d, partial, shares, next, norms);
}

void normalizeDirection(std::int64_t d1, const float* next, const double* norms, float* u,
                        cudaStream_t stream) {
    launch("K-SVD", normalizeDirectionKernel, 1, kThreads, stream, d1,
           static_cast<int>(normPartsOf(d1)), next, norms, u);
}

void writeBack(std::int64_t d1, std::int64_t n, std::int64_t k, std::int64_t atom, const float* d,
               const float* u, const float* row, const float* image, float* e, float* codes,
               cudaStream_t stream) {
    launch("K-SVD", writeBackKernel, static_cast<unsigned>(n), kThreads, stream, d1, k, atom, d, u,
           row, image, e, codes);
}

void residualOf(std::int64_t d1, std::int64_t n, const float* e, const float* d, const float* row,
                double* r, cudaStream_t stream) {
    launch("K-SVD", residualKernel, static_cast<unsigned>(n), kThreads, stream, d1, e, d, row, r);
}

}  // namespace cospadi::kernels
