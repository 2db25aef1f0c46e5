#include "gpu/kernels/coupled_cg.h"

#include "gpu/kernels/block_reduce.cuh"

namespace cospadi::kernels {

namespace {

constexpr const char* kName = "coupled conjugate gradients";
constexpr unsigned kEnoughBlocks = 512;   // for every multiprocessor to have some
constexpr std::int64_t kMostSlices = 16;  // of a column

// A block takes slices of columns in turn: few columns fall into more slices.
struct Slices {
    unsigned blocks;
    std::int64_t ofColumn;
    std::int64_t length;
};

Slices slicesOf(const CoupledState& state) {
    const std::int64_t most =
        blocksFor(state.k, kThreads) < kMostSlices ? blocksFor(state.k, kThreads) : kMostSlices;
    const std::int64_t wanted = blocksFor(kEnoughBlocks, state.columns);
    const std::int64_t count = wanted < most ? wanted : most;
    const std::int64_t all = state.columns * count;
    return {all < kCoupledBlocks ? static_cast<unsigned>(all) : kCoupledBlocks, count,
            (state.k + count - 1) / count};
}

// body(entry, column, entry of a product) for all entries of the block's slices.
template <typename Body>
__device__ void forEntries(const CoupledState& state, const Slices& slices, const Body& body) {
    for (std::int64_t slice = blockIdx.x; slice < state.columns * slices.ofColumn;
         slice += gridDim.x) {
        const std::int64_t column = slice / slices.ofColumn;
        const std::int64_t first = slice % slices.ofColumn * slices.length;
        const std::int64_t last = first + slices.length < state.k ? first + slices.length : state.k;
        for (std::int64_t i = first + threadIdx.x; i < last; i += kThreads) {
            body(column * state.k + i, column, column * state.ld + i);
        }
    }
}

// The sum of what the blocks left, by one block, in a fixed order.
__device__ double total(unsigned blocks, const double* values) {
    double sum = 0;
    for (unsigned i = threadIdx.x; i < blocks; i += kThreads) {
        sum += values[i];
    }
    return blockSum(sum);
}

__device__ double squared(float value) {
    return static_cast<double>(value) * static_cast<double>(value);
}

__global__ void __launch_bounds__(kThreads, 4) startKernel(CoupledState state, Slices slices) {
    double norm = 0;
    forEntries(state, slices, [&](std::int64_t i, std::int64_t column, std::int64_t) {
        const float scale = state.inverseDiagonal[column];
        const float code = state.codes[i];
        const float residual = code != 0 ? state.residual[i] : 0.0F;
        norm += static_cast<double>(scale) * squared(residual);
        state.residual[i] = residual;
        state.direction[i] = scale * residual;
        state.mask[i] = code != 0 ? 1 : 0;
    });
    norm = blockSum(norm);
    if (threadIdx.x == 0) {
        state.sums[blockIdx.x] = norm;
    }
}

__global__ void __launch_bounds__(kThreads)
    beginKernel(CoupledState state, unsigned blocks, double squaredError) {
    const double norm = total(blocks, state.sums);
    if (threadIdx.x == 0) {
        state.scalars[CoupledState::kNorm] = norm;
        state.scalars[CoupledState::kError] = squaredError;
        state.scalars[CoupledState::kDone] = norm > 0 ? 0 : 1;
    }
}

__global__ void __launch_bounds__(kThreads) curvatureKernel(CoupledState state, Slices slices) {
    double curvature = 0;
    forEntries(state, slices, [&](std::int64_t i, std::int64_t, std::int64_t product) {
        curvature +=
            static_cast<double>(state.direction[i]) * static_cast<double>(state.image[product]);
    });
    curvature = blockSum(curvature);
    if (threadIdx.x == 0) {
        state.sums[blockIdx.x] = curvature;
    }
}

// Every block adds up the step size for itself: a kernel of one block in between would cost more.
__global__ void __launch_bounds__(kThreads)
    advanceKernel(CoupledState state, Slices slices, const double* before, double* behind,
                  double tolerance) {
    const double curvature = total(gridDim.x, state.sums);
    const bool moves = before[CoupledState::kDone] == 0 && curvature > 0;
    const double length = moves ? before[CoupledState::kNorm] / curvature : 0;
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        const double gain = before[CoupledState::kNorm] * length;
        const double error = before[CoupledState::kError] - gain;
        behind[CoupledState::kError] = error;
        behind[CoupledState::kDone] = !moves || gain < tolerance * error ? 1 : 0;
    }
    const auto step = static_cast<float>(length);
    double norm = 0;
    forEntries(state, slices, [&](std::int64_t i, std::int64_t column, std::int64_t product) {
        state.codesMetric[i] += step * state.directionMetric[product];
        if (state.mask[i] != 0) {
            state.codes[i] += step * state.direction[i];
            const float residual = state.residual[i] - step * state.image[product];
            state.residual[i] = residual;
            norm += static_cast<double>(state.inverseDiagonal[column]) * squared(residual);
        }
    });
    norm = blockSum(norm);
    if (threadIdx.x == 0) {
        state.sums[kCoupledBlocks + blockIdx.x] = norm;
    }
}

__global__ void __launch_bounds__(kThreads)
    turnKernel(CoupledState state, Slices slices, const double* before, double* behind) {
    const double norm = total(gridDim.x, state.sums + kCoupledBlocks);
    const double last = before[CoupledState::kNorm];
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        behind[CoupledState::kNorm] = norm;
        if (!(norm > 0)) {
            behind[CoupledState::kDone] = 1;
        }
    }
    const auto beta = static_cast<float>(last > 0 ? norm / last : 0);
    forEntries(state, slices, [&](std::int64_t i, std::int64_t column, std::int64_t) {
        state.direction[i] =
            state.inverseDiagonal[column] * state.residual[i] + beta * state.direction[i];
    });
}

}  // namespace

void startCoupledCg(const CoupledState& state, double squaredError, cudaStream_t stream) {
    if (state.columns == 0) {
        return;
    }
    const Slices slices = slicesOf(state);
    launch(kName, startKernel, slices.blocks, kThreads, stream, state, slices);
    launch(kName, beginKernel, 1, kThreads, stream, state, slices.blocks, squaredError);
}

void stepCoupledCg(const CoupledState& state, int step, bool last, double tolerance,
                   cudaStream_t stream) {
    if (state.columns == 0) {
        return;
    }
    const Slices slices = slicesOf(state);
    const double* before = state.scalars + CoupledState::setBefore(step);
    double* behind = state.scalars + CoupledState::setBehind(step);
    launch(kName, curvatureKernel, slices.blocks, kThreads, stream, state, slices);
    launch(kName, advanceKernel, slices.blocks, kThreads, stream, state, slices, before, behind,
           tolerance);
    if (!last) {
        launch(kName, turnKernel, slices.blocks, kThreads, stream, state, slices, before, behind);
    }
}

}  // namespace cospadi::kernels
