// Preconditioned conjugate gradients on a fixed support where the columns of S are coupled by a
// metric M: one step size for all of them, which never leaves the device. Two products a step, D M
// and H (D M) for the direction D, are the caller's. Arrays are in device memory, column-major.
#pragma once

#include <cstdint>

#include "gpu/execution.h"

namespace cospadi::kernels {

constexpr unsigned kCoupledBlocks = 1024;  // at most, of a kernel here

struct CoupledState {
    // of a set of `scalars`: ⟨R, diag(M)⁻¹ R⟩, the squared error that is left, whether it is over
    static constexpr int kNorm = 0, kError = 1, kDone = 2, kScalars = 3;
    static constexpr int setBefore(int step) { return step % 2 * kScalars; }
    static constexpr int setBehind(int step) { return setBefore(step + 1); }

    std::int64_t k = 0;
    std::int64_t columns = 0;
    std::int64_t ld = 0;                     // of directionMetric and image
    const float* inverseDiagonal = nullptr;  // (columns), of M
    float* codes = nullptr;                  // S and what follows: (k, columns)
    float* codesMetric = nullptr;            // S M
    float* residual = nullptr;  // R = P − H S M; from the start on only on the support
    float* direction = nullptr;
    const float* directionMetric = nullptr;  // D M
    const float* image = nullptr;            // H D M
    std::uint8_t* mask = nullptr;            // 1 on the support
    double* sums = nullptr;                  // (2 kCoupledBlocks): scratch
    double* scalars = nullptr;               // (2 kScalars): a step reads one set, writes the other
};

// squaredError: what there is of it before.
void startCoupledCg(const CoupledState& state, double squaredError, cudaStream_t stream);
// The step of number 0, 1, …; after the last one no direction is made. Stands still once a step
// takes less than `tolerance` off the squared error, or without curvature.
void stepCoupledCg(const CoupledState& state, int step, bool last, double tolerance,
                   cudaStream_t stream);
}  // namespace cospadi::kernels
