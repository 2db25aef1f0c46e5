#include "app/cli/bench/synthetic_layer.h"

#include <bit>
#include <cmath>
#include <random>

namespace cospadi::cli {

namespace {

std::vector<double> randomSigns(std::int64_t n, std::mt19937& random) {
    std::vector<double> signs(static_cast<std::size_t>(n));
    for (double& sign : signs) {
        sign = (random() & 1U) != 0 ? 1 : -1;
    }
    return signs;
}

// Orthonormal: the fast Walsh–Hadamard transform over √n.
template <typename Number>
void transform(Number* x, std::int64_t n) {
    for (std::int64_t half = 1; half < n; half *= 2) {
        for (std::int64_t block = 0; block < n; block += 2 * half) {
            for (std::int64_t i = block; i < block + half; ++i) {
                const Number a = x[i];
                const Number b = x[i + half];
                x[i] = a + b;
                x[i + half] = a - b;
            }
        }
    }
    const auto scale = static_cast<Number>(1 / std::sqrt(static_cast<double>(n)));
    for (std::int64_t i = 0; i < n; ++i) {
        x[i] *= scale;
    }
}

// A rotation of any n: of its first and then its last 2^m entries, the largest power of two in it.
template <typename Number>
void transformAny(Number* x, std::int64_t n) {
    const auto power = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(n)));
    transform(x, power);
    if (power < n) {
        transform(x + n - power, power);
    }
}

// Every column x becomes A H B x with random signs A and B: a rotation.
template <typename Columns>
void rotateColumns(const std::vector<double>& before, const std::vector<double>& after,
                   Columns& columns) {
    using Number = typename Columns::Scalar;
    for (std::int64_t j = 0; j < columns.cols(); ++j) {
        for (std::int64_t i = 0; i < columns.rows(); ++i) {
            columns(i, j) *= static_cast<Number>(before[static_cast<std::size_t>(i)]);
        }
        transformAny(columns.col(j).data(), columns.rows());
        for (std::int64_t i = 0; i < columns.rows(); ++i) {
            columns(i, j) *= static_cast<Number>(after[static_cast<std::size_t>(i)]);
        }
    }
}

}  // namespace

Eigen::MatrixXf powerLawWeight(std::int64_t rows, std::int64_t cols, double exponent,
                               unsigned seed) {
    std::mt19937 random(seed);
    const std::vector<double> before = randomSigns(rows, random);
    const std::vector<double> after = randomSigns(rows, random);
    std::normal_distribution<float> normal;
    Eigen::MatrixXf w(rows, cols);
    for (std::int64_t j = 0; j < cols; ++j) {
        for (std::int64_t i = 0; i < rows; ++i) {
            w(i, j) = normal(random) *
                      static_cast<float>(std::pow(static_cast<double>(i + 1), -exponent));
        }
    }
    rotateColumns(before, after, w);
    return w;
}

Eigen::MatrixXd powerLawGram(std::int64_t n, double exponent, unsigned seed) {
    std::mt19937 random(seed);
    const std::vector<double> before = randomSigns(n, random);
    const std::vector<double> after = randomSigns(n, random);
    Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(n, n);
    for (std::int64_t i = 0; i < n; ++i) {
        gram(i, i) = std::pow(static_cast<double>(i + 1), -exponent);
    }
    rotateColumns(before, after, gram);
    gram.transposeInPlace();
    rotateColumns(before, after, gram);
    // Symmetric but for rounding: what reads one triangle must see the other's values.
    for (std::int64_t j = 0; j < n; ++j) {
        for (std::int64_t i = 0; i < j; ++i) {
            gram(j, i) = gram(i, j);
        }
    }
    return gram;
}

}  // namespace cospadi::cli
