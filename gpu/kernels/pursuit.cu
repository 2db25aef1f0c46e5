#include "gpu/kernels/pursuit.h"

#include "gpu/kernels/block_reduce.cuh"

namespace cospadi::kernels {

namespace {

constexpr float kDependent = 1e-6F;  // squared length an atom must add to the span
constexpr int kAtOnce = 2;           // columns of F that a warp asks for before it waits

__device__ std::int64_t packedColumn(std::int64_t j) { return j * (j + 1) / 2; }

__global__ void __launch_bounds__(kThreads) startKernel(PursuitState state, const float* p) {
    const std::int64_t k = state.k;
    for (std::int64_t i = blockIdx.x * k + threadIdx.x; i < (blockIdx.x + 1) * k; i += kThreads) {
        state.correlation[i] = p[i];
        state.taken[i] = 0;
        state.direction[i] = 0;
    }
    if (threadIdx.x == 0) {
        state.chosen[blockIdx.x] = 0;
        state.pending[blockIdx.x] = -1;
    }
}

// The free atom of largest |correlation|, the lower one of equals; −1 where all are zero.
__device__ std::int64_t strongest(std::int64_t k, const float* correlation,
                                  const std::uint8_t* taken) {
    unsigned long long best = 0;  // magnitude above, what is left of the row below
    for (std::int64_t i = threadIdx.x; i < k; i += kThreads) {
        const unsigned magnitude = __float_as_uint(correlation[i]) & 0x7fffffffU;
        if (taken[i] == 0 && magnitude > 0) {
            const unsigned long long key = static_cast<unsigned long long>(magnitude) << 32 |
                                           (0xffffffffU - static_cast<unsigned>(i));
            best = key > best ? key : best;
        }
    }
    best = blockMax(best);
    return best == 0 ? -1 : static_cast<std::int64_t>(0xffffffffU - (best & 0xffffffffU));
}

// For a block's kThreads rows of F from `first` on, a thread each: F projections. The columns are
// dealt to the warps, so that these have equally much to do and read neighbouring memory.
__device__ float rowsTimes(const float* inverse, const float* projections, std::int64_t first,
                           std::int64_t t) {
    __shared__ float parts[kWarps][kThreads];
    const int lane = static_cast<int>(threadIdx.x) % kWarpSize;
    const int warp = static_cast<int>(threadIdx.x) / kWarpSize;
    float sums[kWarps] = {};  // of the rows lane + kWarpSize q
    const int columns = static_cast<int>(t - first);
    const float* column = inverse + packedColumn(first + warp) + first + lane;
    for (int j = warp; j < columns;) {
        float values[kAtOnce][kWarps];
        float factors[kAtOnce];
        for (int h = 0; h < kAtOnce; ++h, j += kWarps) {
            factors[h] = j < columns ? projections[first + j] : 0.0F;
            for (int q = 0; q < kWarps; ++q) {
                const int row = lane + kWarpSize * q;
                values[h][q] = j < columns && row <= j ? column[kWarpSize * q] : 0.0F;
            }
            column += kWarps * static_cast<int>(first + j) + kWarps * (kWarps + 1) / 2;
        }
        for (int h = 0; h < kAtOnce; ++h) {
            for (int q = 0; q < kWarps; ++q) {
                sums[q] += values[h][q] * factors[h];
            }
        }
    }
    for (int q = 0; q < kWarps; ++q) {
        parts[warp][lane + kWarpSize * q] = sums[q];
    }
    __syncthreads();
    float sum = 0;
    for (int w = 0; w < kWarps; ++w) {
        sum += parts[w][threadIdx.x];
    }
    __syncthreads();
    return sum;
}

// Four blocks a processor leave registers for all the loads of rowsTimes at once.
__global__ void __launch_bounds__(kThreads, 4)
    selectKernel(PursuitState state, const float* gram, unsigned* busy) {
    const std::int64_t k = state.k;
    const std::int64_t s = state.s;
    const std::int64_t column = blockIdx.x;
    const std::int64_t t = state.chosen[column];
    float* direction = state.direction + column * k;
    const float* basis = state.basis + column * k * s;
    float* inverse = state.inverse + column * packedColumn(s);
    float* projections = state.projections + column * s;
    std::int32_t* atoms = state.atoms + column * s;

    std::int64_t atom = -1;
    if (t < s) {
        atom = strongest(k, state.correlation + column * k, state.taken + column * k);
    }
    if (atom < 0) {
        if (threadIdx.x == 0) {
            state.pending[column] = -1;
        }
        return;
    }
    float explained = 0;
    for (std::int64_t j = threadIdx.x; j < t; j += kThreads) {
        const float projection = basis[atom + j * k];
        projections[j] = projection;
        explained += projection * projection;
    }
    explained = blockSum(explained);  // and its barrier: projections are complete
    const float added = gram[atom + atom * k] - explained;
    const bool independent = added > kDependent;
    if (threadIdx.x == 0) {
        state.taken[column * k + atom] = 1;
        state.pending[column] = independent ? static_cast<std::int32_t>(atom) : -1;
        atomicAdd(busy, 1U);
    }
    if (!independent) {
        return;
    }
    const float scale = 1 / sqrtf(added);
    float* next = inverse + packedColumn(t);
    for (std::int64_t first = 0; first < t; first += kThreads) {
        const float sum = rowsTimes(inverse, projections, first, t);
        const std::int64_t i = first + threadIdx.x;
        if (i < t) {
            next[i] = -sum * scale;
            direction[atoms[i]] = -sum * scale;
        }
    }
    if (threadIdx.x == 0) {
        next[t] = scale;
        direction[atom] = scale;
        atoms[t] = static_cast<std::int32_t>(atom);
    }
}

__global__ void __launch_bounds__(kThreads)
    advanceKernel(PursuitState state, const float* images, std::int64_t imageLd) {
    const std::int64_t k = state.k;
    const std::int64_t column = blockIdx.x;
    const std::int64_t atom = state.pending[column];
    if (atom < 0) {
        return;
    }
    const std::int64_t t = state.chosen[column];
    const float* image = images + column * imageLd;
    float* correlation = state.correlation + column * k;
    float* row = state.basis + (column * state.s + t) * k;
    const float weight = correlation[atom] / image[atom];
    __syncthreads();  // everyone has read what is about to change
    for (std::int64_t i = threadIdx.x; i < k; i += kThreads) {
        correlation[i] -= weight * image[i];
        row[i] = image[i];
    }
    if (threadIdx.x == 0) {
        state.weights[column * state.s + t] = weight;
        state.chosen[column] = static_cast<std::int32_t>(t + 1);
    }
}

// Solves R γ = weights, R(j, t) = ⟨q_j, atom_t⟩ upper triangular.
__global__ void __launch_bounds__(kThreads) finishKernel(PursuitState state, float* allCodes) {
    const std::int64_t k = state.k;
    const std::int64_t s = state.s;
    const std::int64_t column = blockIdx.x;
    const std::int64_t chosen = state.chosen[column];
    const float* basis = state.basis + column * k * s;
    const std::int32_t* atoms = state.atoms + column * s;
    double* solution = state.solution + column * s;
    float* codes = allCodes + column * k;
    for (std::int64_t i = threadIdx.x; i < k; i += kThreads) {
        codes[i] = 0;
    }
    __syncthreads();
    for (std::int64_t j = chosen - 1; j >= 0; --j) {
        const float* row = basis + j * k;
        double known = 0;
        for (std::int64_t t = threadIdx.x; t < chosen; t += kThreads) {
            if (t > j) {
                known += solution[t] * static_cast<double>(row[atoms[t]]);
            }
        }
        known = blockSum(known);
        if (j % kThreads == threadIdx.x) {  // who alone reads it again
            const double weight = static_cast<double>(state.weights[column * s + j]);
            solution[j] = (weight - known) / static_cast<double>(row[atoms[j]]);
            codes[atoms[j]] = static_cast<float>(solution[j]);
        }
    }
}

}  // namespace

void startPursuit(const PursuitState& state, const float* p, cudaStream_t stream) {
    launch("pursuit", startKernel, static_cast<unsigned>(state.columns), kThreads, stream, state,
           p);
}

void selectAtoms(const PursuitState& state, const float* gram, unsigned* busy,
                 cudaStream_t stream) {
    launch("pursuit", selectKernel, static_cast<unsigned>(state.columns), kThreads, stream, state,
           gram, busy);
}

void advance(const PursuitState& state, const float* image, std::int64_t imageLd,
             cudaStream_t stream) {
    launch("pursuit", advanceKernel, static_cast<unsigned>(state.columns), kThreads, stream, state,
           image, imageLd);
}

void finish(const PursuitState& state, float* codes, cudaStream_t stream) {
    launch("pursuit", finishKernel, static_cast<unsigned>(state.columns), kThreads, stream, state,
           codes);
}

}  // namespace cospadi::kernels
