// A matrix to explore, what exploring told, and what a run would store of it.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "core/explore/explore.h"
#include "core/linalg/cpu_backend.h"
#include "core/methods/compress_matrix.h"
#include "tests/core/sample_matrices.h"

namespace cospadi::explore_samples {

inline MatrixAtHand randomMatrixAtHand(int d1, int d2, bool whitened) {
    MatrixAtHand matrix;
    matrix.info.name = "blk.0.ffn_up";
    matrix.info.d1 = d1;
    matrix.info.d2 = d2;
    matrix.weight = sample::randomMatrix(d1, d2, 7);
    if (whitened) {
        Eigen::MatrixXd x = Eigen::MatrixXd::Random(4 * d1, d1);
        for (int j = 0; j < d1; ++j) {
            x.col(j) *= 1 + j;  // far from a multiple of the identity
        }
        matrix.whitening.emplace(x.transpose() * x, "test");
    }
    return matrix;
}

// What explore() told.
struct Told {
    std::vector<ExplorePoint> points;
    std::vector<ReferencePoint> reference;

    ExploreCallbacks callbacks() {
        ExploreCallbacks callbacks;
        callbacks.point = [this](const ExplorePoint& point) { points.push_back(point); };
        callbacks.reference = [this](const std::vector<ReferencePoint>& told) { reference = told; };
        return callbacks;
    }
};

inline double storedErrorOf(const MatrixAtHand& matrix, const MatrixOptions& options) {
    CpuBackend backend(1);
    return compressMatrix(backend, matrix.weight, matrix.whitening ? &*matrix.whitening : nullptr,
                          options)
        .relativeError;
}

}  // namespace cospadi::explore_samples
