// Layers made up for benchmarks: weights and Gram matrices with spectra that fall as a power, as
// those of language models do. Seeded: the same on every machine.
#pragma once

#include <Eigen/Core>

namespace cospadi::cli {

// Those of trained models, of both functions below.
inline constexpr double kWeightExponent = 0.3;  // singular values fall slowly …
inline constexpr double kGramExponent = 1.2;    // … the eigenvalues of inputs' Gram fast

// (rows, cols): singular values about ∝ i^−exponent, directions random.
Eigen::MatrixXf powerLawWeight(std::int64_t rows, std::int64_t cols, double exponent,
                               unsigned seed);

// (n, n): eigenvalues exactly i^−exponent, eigenvectors a rotation without a preferred axis (a
// Walsh–Hadamard transform between random signs; two that overlap where n is no power of two).
Eigen::MatrixXd powerLawGram(std::int64_t n, double exponent, unsigned seed);

}  // namespace cospadi::cli
