// Weights and metrics whose spectra decay, as those of whitened weights and of activations do.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <cstdlib>

#include "tests/core/reference_algebra.h"

namespace cospadi::sample {

// A weight with a decaying spectrum, as whitened weights have.
inline Eigen::MatrixXf decayingMatrix(int rows, int cols, unsigned seed) {
    std::srand(seed);
    Eigen::MatrixXf a = Eigen::MatrixXf::Random(rows, cols);
    for (int i = 0; i < rows; ++i) {
        a.row(i) /= 1.0F + 0.2F * static_cast<float>(i);
    }
    const Eigen::MatrixXd q =
        reference::orthonormal(Eigen::MatrixXf::Random(rows, rows).cast<double>());
    return q.cast<float>() * a;
}

// Singular values from 1 to 10^−decades, evenly in their logarithm: as steep as whitened weights of
// layers whose inputs have a few large directions.
inline Eigen::MatrixXf steepMatrix(int rows, int cols, double decades, unsigned seed) {
    std::srand(seed);
    const Eigen::MatrixXd u = reference::orthonormal(Eigen::MatrixXd::Random(rows, rows));
    const Eigen::MatrixXd v = reference::orthonormal(Eigen::MatrixXd::Random(cols, rows));
    const Eigen::VectorXd values =
        (Eigen::VectorXd::LinSpaced(rows, 0, -decades).array() * std::log(10.0)).exp();
    return (u * values.asDiagonal() * v.transpose()).cast<float>();
}

// Columns whose weights differ by orders of magnitude, and that hang together: a Gram matrix as a
// model's activations give it.
inline Eigen::MatrixXf activationMetric(int n, unsigned seed) {
    const Eigen::MatrixXf x = decayingMatrix(n, 3 * n, seed).transpose();
    Eigen::MatrixXf gram = x.transpose() * x;
    gram.diagonal().array() += 1e-4F * gram.diagonal().mean();
    return gram / gram.diagonal().mean();
}

}  // namespace cospadi::sample
