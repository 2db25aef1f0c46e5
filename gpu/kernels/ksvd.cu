#include "gpu/kernels/ksvd.h"

#include "gpu/kernels/block_reduce.cuh"

namespace cospadi::kernels {

namespace {

constexpr int kWidth = 4;         // floats of one load
constexpr int kHeld = 8;          // of those that a thread keeps of E at a time
constexpr int kPanelColumns = 4;  // at least, so that a panel is little beside what it sums
constexpr int kSumRows = 16;      // of a block that sums panels: few, so that there are many blocks
constexpr int kSumGroups = kThreads / kSumRows;

unsigned panelsOf(std::int64_t used) {
    const unsigned panels = blocksFor(used, kPanelColumns);
    return panels < kPanels ? panels : static_cast<unsigned>(kPanels);
}

// Of panel `panel` the first column; panels differ by one column at most.
__device__ int firstColumn(int used, unsigned panels, unsigned panel) {
    const int each = used / static_cast<int>(panels);
    const int more = used % static_cast<int>(panels);
    const int index = static_cast<int>(panel);
    return index * each + (index < more ? index : more);
}

__device__ float dotOf(float4 a, float4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }

// a + factor b
__device__ float4 scaledSum(float4 a, float factor, float4 b) {
    return {a.x + factor * b.x, a.y + factor * b.y, a.z + factor * b.z, a.w + factor * b.w};
}

__device__ const float4* wide(const float* values) {
    return reinterpret_cast<const float4*>(values);
}
__device__ float4* wide(float* values) { return reinterpret_cast<float4*>(values); }

struct Scaled {
    const float* values;
    float factor;
};

__device__ Scaled unitOf(const Direction& direction) {
    double squared = 0;
    for (std::int64_t b = threadIdx.x; b < direction.parts; b += kThreads) {
        squared += direction.norms[b];
    }
    squared = blockSum(squared);
    return squared > 0 ? Scaled{direction.next, static_cast<float>(1 / sqrt(squared))}
                       : Scaled{direction.before, 1.0F};
}

// Sums over the block, the same for every thread. One barrier only: `parts` must not be those of
// the call before.
template <int Count>
__device__ void blockSums(float (&values)[Count], float (&parts)[Count][kWarps]) {
    for (int c = 0; c < Count; ++c) {
        values[c] = warpSum(values[c]);
        if (threadIdx.x % kWarpSize == 0) {
            parts[c][threadIdx.x / kWarpSize] = values[c];
        }
    }
    __syncthreads();
    for (int c = 0; c < Count; ++c) {
        values[c] = 0;
        for (int w = 0; w < kWarps; ++w) {
            values[c] += parts[c][w];
        }
    }
}

// A block an atom, which lists its columns in their order.
__global__ void __launch_bounds__(kThreads)
    listColumnsKernel(std::int64_t k, std::int64_t n, const float* codes, std::int32_t* allColumns,
                      float* allCoefficients, std::int32_t* counts) {
    __shared__ int found[kWarps];
    const unsigned lane = threadIdx.x % kWarpSize;
    const unsigned warp = threadIdx.x / kWarpSize;
    std::int32_t* columns = allColumns + blockIdx.x * n;
    float* coefficients = allCoefficients + blockIdx.x * n;
    int used = 0;
    for (std::int64_t first = 0; first < n; first += kThreads) {
        const std::int64_t j = first + threadIdx.x;
        const float value = j < n ? codes[blockIdx.x + j * k] : 0.0F;
        const unsigned votes = __ballot_sync(kFullWarp, value != 0);
        if (lane == 0) {
            found[warp] = __popc(votes);
        }
        __syncthreads();
        int place = used + __popc(votes & ((1U << lane) - 1));
        for (unsigned w = 0; w < kWarps; ++w) {
            place += w < warp ? found[w] : 0;
            used += found[w];
        }
        if (value != 0) {
            columns[place] = static_cast<std::int32_t>(j);
            coefficients[place] = value;
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        counts[blockIdx.x] = used;
    }
}

// A pass over the columns of a block, which holds some of them at a time in its registers: every
// thread the same Vectors of each, for d1 up to kThreads · kWidth · Vectors. With `partial` it sums
// R Rᵀ u, without it replaces the atom. The next columns are asked for before the block waits.
template <int Vectors>
__global__ void __launch_bounds__(kThreads)
    passKernel(AtomColumns a, Direction direction, float* partial) {
    constexpr int kColumns = kHeld / Vectors;
    __shared__ float parts[2][kColumns][kWarps];
    __shared__ float4 u[Vectors][kThreads];  // every thread its own, for want of registers
    const int vectors = static_cast<int>(a.d1 / kWidth);
    const int thread = static_cast<int>(threadIdx.x);
    const int end = firstColumn(a.used, gridDim.x, blockIdx.x + 1);
    int first = firstColumn(a.used, gridDim.x, blockIdx.x);
    const float4 zero = {0, 0, 0, 0};
    float4 held[kColumns][Vectors];
    const auto load = [&] {
        for (int c = 0; c < kColumns; ++c) {
            const bool there = first + c < end;
            const float4* column = wide(a.e + (there ? a.columns[first + c] : 0) * a.d1);
            for (int m = 0; m < Vectors; ++m) {
                const int v = thread + m * kThreads;
                held[c][m] = there && v < vectors ? column[v] : zero;
            }
        }
    };
    load();

    const Scaled unit = unitOf(direction);
    const bool keepsUnit = blockIdx.x == 0 && unit.values != direction.u;
    float4 sum[Vectors];
    for (int m = 0; m < Vectors; ++m) {
        const int v = thread + m * kThreads;
        const float4 value = v < vectors ? wide(unit.values)[v] : zero;
        sum[m] = zero;
        u[m][thread] = scaledSum(zero, unit.factor, value);
        if (keepsUnit && v < vectors) {
            wide(direction.u)[v] = u[m][thread];
        }
    }

    for (int turn = 0;; turn ^= 1) {
        float products[kColumns] = {};
        for (int m = 0; m < Vectors; ++m) {
            const int v = thread + m * kThreads;
            const float4 atom = v < vectors ? wide(a.atom)[v] : zero;
            for (int c = 0; c < kColumns; ++c) {
                const float coefficient = first + c < end ? a.coefficients[first + c] : 0.0F;
                held[c][m] = scaledSum(held[c][m], coefficient, atom);
                products[c] += dotOf(held[c][m], u[m][thread]);
            }
        }
        blockSums(products, parts[turn]);
        for (int c = 0; c < kColumns; ++c) {
            if (partial != nullptr) {
                for (int m = 0; m < Vectors; ++m) {
                    sum[m] = scaledSum(sum[m], products[c], held[c][m]);
                }
            } else if (first + c < end) {
                const std::int64_t j = a.columns[first + c];
                for (int m = 0; m < Vectors; ++m) {
                    const int v = thread + m * kThreads;
                    if (v < vectors) {
                        wide(a.e + j * a.d1)[v] = scaledSum(held[c][m], -products[c], u[m][thread]);
                    }
                }
                if (thread == 0) {
                    a.codes[j * a.k] = products[c];
                }
            }
        }
        first += kColumns;
        if (first >= end) {
            break;
        }
        load();
    }
    for (int m = 0; m < Vectors && partial != nullptr; ++m) {
        const int v = thread + m * kThreads;
        if (v < vectors) {
            wide(partial + blockIdx.x * a.d1)[v] = sum[m];
        }
    }
}

// The same for columns of any length and at any address: they are read twice, the second time out
// of the cache.
__global__ void __launch_bounds__(kThreads)
    anyPassKernel(AtomColumns a, Direction direction, float* partial) {
    __shared__ float parts[2][kHeld][kWarps];
    const int end = firstColumn(a.used, gridDim.x, blockIdx.x + 1);
    const int start = firstColumn(a.used, gridDim.x, blockIdx.x);
    const Scaled unit = unitOf(direction);
    if (blockIdx.x == 0 && unit.values != direction.u) {
        for (std::int64_t i = threadIdx.x; i < a.d1; i += kThreads) {
            direction.u[i] = unit.factor * unit.values[i];
        }
    }
    float* sums = partial == nullptr ? nullptr : partial + blockIdx.x * a.d1;
    for (int first = start, turn = 0; first < end; first += kHeld, turn ^= 1) {
        float* columns[kHeld];
        float coefficients[kHeld];
        float products[kHeld] = {};
        for (int c = 0; c < kHeld; ++c) {  // past the end the first column once more, for nothing
            const int index = first + c < end ? first + c : first;
            columns[c] = a.e + a.columns[index] * a.d1;
            coefficients[c] = a.coefficients[index];
        }
        for (std::int64_t i = threadIdx.x; i < a.d1; i += kThreads) {
            const float atom = a.atom[i];
            const float u = unit.factor * unit.values[i];
            for (int c = 0; c < kHeld; ++c) {
                products[c] += (columns[c][i] + coefficients[c] * atom) * u;
            }
        }
        blockSums(products, parts[turn]);
        for (std::int64_t i = threadIdx.x; i < a.d1; i += kThreads) {
            const float atom = a.atom[i];
            const float u = unit.factor * unit.values[i];
            float sum = sums == nullptr || first == start ? 0.0F : sums[i];
            float residual[kHeld];
            for (int c = 0; c < kHeld; ++c) {
                residual[c] = columns[c][i] + coefficients[c] * atom;
            }
            for (int c = 0; c < kHeld; ++c) {
                if (first + c < end) {
                    if (sums == nullptr) {
                        columns[c][i] = residual[c] - products[c] * u;
                    }
                    sum += products[c] * residual[c];
                }
            }
            if (sums != nullptr) {
                sums[i] = sum;
            }
        }
        for (int c = 0; c < kHeld; ++c) {
            if (sums == nullptr && threadIdx.x == 0 && first + c < end) {
                a.codes[a.columns[first + c] * a.k] = products[c];
            }
        }
    }
}

// A block a few rows, whose panels are summed in groups and these in turn.
__global__ void __launch_bounds__(kThreads)
    sumPanelsKernel(std::int64_t d1, int panels, const float* partial, float* next, double* norms) {
    __shared__ float groups[kSumGroups][kSumRows];
    const int row = static_cast<int>(threadIdx.x) % kSumRows;
    const int group = static_cast<int>(threadIdx.x) / kSumRows;
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kSumRows + row;
    float sum = 0;
    if (i < d1) {
        const float* part = partial + group * d1 + i;
        for (int b = group; b < panels; b += kSumGroups, part += kSumGroups * d1) {
            sum += *part;
        }
    }
    groups[group][row] = sum;
    __syncthreads();
    if (threadIdx.x >= kWarpSize) {
        return;
    }
    double squared = 0;
    if (group == 0 && i < d1) {
        for (int g = 1; g < kSumGroups; ++g) {
            sum += groups[g][row];
        }
        next[i] = sum;
        squared = static_cast<double>(sum) * static_cast<double>(sum);
    }
    squared = warpSum(squared);
    if (threadIdx.x == 0) {
        norms[blockIdx.x] = squared;
    }
}

__global__ void __launch_bounds__(kThreads) residualKernel(AtomColumns a, double* r) {
    const float* column = a.e + a.columns[blockIdx.x] * a.d1;
    const float coefficient = a.coefficients[blockIdx.x];
    for (std::int64_t i = threadIdx.x; i < a.d1; i += kThreads) {
        r[i + blockIdx.x * a.d1] = static_cast<double>(column[i] + coefficient * a.atom[i]);
    }
}

bool isAligned(const float* values) {
    return reinterpret_cast<std::uintptr_t>(values) % sizeof(float4) == 0;
}

void pass(const AtomColumns& atom, const Direction& direction, float* partial,
          cudaStream_t stream) {
    const auto start = [&](void (*kernel)(AtomColumns, Direction, float*)) {
        launch("K-SVD", kernel, panelsOf(atom.used), kThreads, stream, atom, direction, partial);
    };
    constexpr std::int64_t kRows = kThreads * kWidth;
    const bool aligned = atom.d1 % kWidth == 0 && isAligned(atom.e) && isAligned(atom.atom) &&
                         isAligned(direction.before) && isAligned(direction.u);
    if (!aligned || atom.d1 > 8 * kRows) {
        start(anyPassKernel);
    } else if (atom.d1 > 4 * kRows) {
        start(passKernel<8>);
    } else if (atom.d1 > 2 * kRows) {
        start(passKernel<4>);
    } else {
        start(passKernel<2>);
    }
}

}  // namespace

std::int64_t normParts(std::int64_t d1) { return blocksFor(d1, kSumRows); }

void listColumns(std::int64_t k, std::int64_t n, std::int64_t first, std::int64_t atoms,
                 const float* codes, std::int32_t* columns, float* coefficients,
                 std::int32_t* counts, cudaStream_t stream) {
    launch("K-SVD", listColumnsKernel, static_cast<unsigned>(atoms), kThreads, stream, k, n,
           codes + first, columns, coefficients, counts);
}

void applyResidual(const AtomColumns& atom, const Direction& direction, float* partial,
                   cudaStream_t stream) {
    pass(atom, direction, partial, stream);
}

void sumPanels(const AtomColumns& atom, const float* partial, float* next, double* norms,
               cudaStream_t stream) {
    launch("K-SVD", sumPanelsKernel, static_cast<unsigned>(normParts(atom.d1)), kThreads, stream,
           atom.d1, static_cast<int>(panelsOf(atom.used)), partial, next, norms);
}

void replaceAtom(const AtomColumns& atom, const Direction& direction, cudaStream_t stream) {
    pass(atom, direction, nullptr, stream);
}

void residualOf(const AtomColumns& atom, double* r, cudaStream_t stream) {
    launch("K-SVD", residualKernel, static_cast<unsigned>(atom.used), kThreads, stream, atom, r);
}

}  // namespace cospadi::kernels
