#include "gpu/kernels/coupled_cg.h"

#include "gpu/kernels/block_reduce.cuh"

namespace cospadi::kernels {

namespace {

constexpr const char* kName = "coupled conjugate gradients";

// The sum of n numbers by one block, in a fixed order.
__device__ double total(std::int64_t n, const double* values) {
    double sum = 0;
    for (std::int64_t i = threadIdx.x; i < n; i += kThreads) {
        sum += values[i];
    }
    return blockSum(sum);
}

// A block a column, as are the next two.
__global__ void __launch_bounds__(kThreads) startKernel(CoupledState state, const float* p) {
    const std::int64_t last = (blockIdx.x + 1) * state.k;
    const float scale = state.inverseDiagonal[blockIdx.x];
    double norm = 0;
    double explained = 0;
    for (std::int64_t i = blockIdx.x * state.k + threadIdx.x; i < last; i += kThreads) {
        const float code = state.codes[i];
        const float residual = code != 0 ? p[i] - state.residual[i] : 0.0F;
        explained += static_cast<double>(code) * static_cast<double>(p[i] + residual);
        norm += static_cast<double>(residual) * static_cast<double>(residual);
        state.residual[i] = residual;
        state.direction[i] = scale * residual;
        state.mask[i] = code != 0 ? 1 : 0;
    }
    norm = blockSum(norm);
    explained = blockSum(explained);
    if (threadIdx.x == 0) {
        state.sums[blockIdx.x] = scale * norm;
        state.sums[state.columns + blockIdx.x] = explained;
    }
}

__global__ void __launch_bounds__(kThreads) curvatureKernel(CoupledState state) {
    const std::int64_t last = (blockIdx.x + 1) * state.k;
    double curvature = 0;
    for (std::int64_t i = blockIdx.x * state.k + threadIdx.x; i < last; i += kThreads) {
        curvature += static_cast<double>(state.direction[i]) * static_cast<double>(state.image[i]);
    }
    curvature = blockSum(curvature);
    if (threadIdx.x == 0) {
        state.sums[blockIdx.x] = curvature;
    }
}

__global__ void __launch_bounds__(kThreads) advanceKernel(CoupledState state) {
    const std::int64_t last = (blockIdx.x + 1) * state.k;
    const auto step = static_cast<float>(state.scalars[CoupledState::kStep]);
    double norm = 0;
    for (std::int64_t i = blockIdx.x * state.k + threadIdx.x; i < last; i += kThreads) {
        state.codesMetric[i] += step * state.directionMetric[i];
        if (state.mask[i] != 0) {
            state.codes[i] += step * state.direction[i];
            const float residual = state.residual[i] - step * state.image[i];
            state.residual[i] = residual;
            norm += static_cast<double>(residual) * static_cast<double>(residual);
        }
    }
    norm = blockSum(norm);
    if (threadIdx.x == 0) {
        state.sums[blockIdx.x] = state.inverseDiagonal[blockIdx.x] * norm;
    }
}

__global__ void __launch_bounds__(kThreads) turnKernel(CoupledState state) {
    const std::int64_t last = (blockIdx.x + 1) * state.k;
    const float scale = state.inverseDiagonal[blockIdx.x];
    const auto beta = static_cast<float>(state.scalars[CoupledState::kBeta]);
    for (std::int64_t i = blockIdx.x * state.k + threadIdx.x; i < last; i += kThreads) {
        state.direction[i] = scale * state.residual[i] + beta * state.direction[i];
    }
}

// One block each, between those: what the host would have to wait for otherwise.
__global__ void __launch_bounds__(kThreads) beginKernel(CoupledState state, double squaredNorm) {
    const double norm = total(state.columns, state.sums);
    const double explained = total(state.columns, state.sums + state.columns);
    if (threadIdx.x == 0) {
        state.scalars[CoupledState::kNorm] = norm;
        state.scalars[CoupledState::kError] = squaredNorm - explained;
        state.scalars[CoupledState::kDone] = norm > 0 ? 0 : 1;
    }
}

__global__ void __launch_bounds__(kThreads) stepSizeKernel(CoupledState state, double tolerance) {
    const double curvature = total(state.columns, state.sums);
    if (threadIdx.x == 0) {
        double* scalars = state.scalars;
        const double norm = scalars[CoupledState::kNorm];
        if (scalars[CoupledState::kDone] != 0 || !(curvature > 0)) {
            scalars[CoupledState::kStep] = 0;
            scalars[CoupledState::kDone] = 1;
            return;
        }
        const double step = norm / curvature;
        const double gain = norm * step;
        scalars[CoupledState::kStep] = step;
        scalars[CoupledState::kError] -= gain;
        if (gain < tolerance * scalars[CoupledState::kError]) {
            scalars[CoupledState::kDone] = 1;  // after this step
        }
    }
}

__global__ void __launch_bounds__(kThreads) betaKernel(CoupledState state) {
    const double norm = total(state.columns, state.sums);
    if (threadIdx.x == 0) {
        double* scalars = state.scalars;
        const double before = scalars[CoupledState::kNorm];
        scalars[CoupledState::kBeta] = before > 0 ? norm / before : 0;
        scalars[CoupledState::kNorm] = norm;
        if (!(norm > 0)) {
            scalars[CoupledState::kDone] = 1;
        }
    }
}

}  // namespace

void startCoupledCg(const CoupledState& state, const float* p, double squaredNorm,
                    cudaStream_t stream) {
    const auto columns = static_cast<unsigned>(state.columns);
    if (columns > 0) {
        launch(kName, startKernel, columns, kThreads, stream, state, p);
    }
    launch(kName, beginKernel, 1, kThreads, stream, state, squaredNorm);
}

void stepCoupledCg(const CoupledState& state, double tolerance, cudaStream_t stream) {
    const auto columns = static_cast<unsigned>(state.columns);
    if (columns == 0) {
        return;
    }
    launch(kName, curvatureKernel, columns, kThreads, stream, state);
    launch(kName, stepSizeKernel, 1, kThreads, stream, state, tolerance);
    launch(kName, advanceKernel, columns, kThreads, stream, state);
    launch(kName, betaKernel, 1, kThreads, stream, state);
    launch(kName, turnKernel, columns, kThreads, stream, state);
}

}  // namespace cospadi::kernels
