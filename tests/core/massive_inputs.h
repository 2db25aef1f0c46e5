// The Gram matrix of inputs with a massive activation, for tests of methods that whiten.
#pragma once

#include <Eigen/Core>
#include <cstdlib>

#include "tests/core/reference_algebra.h"

namespace cospadi::massive_inputs {

// The Gram matrix of inputs of which one channel is a hundred times as strong as the others, as a
// massive activation is, and the others differ by an order of magnitude.
inline Eigen::MatrixXd inputsGram(int d1, unsigned seed) {
    std::srand(seed);
    Eigen::MatrixXd x = Eigen::MatrixXd::Random(4 * d1, d1) *
                        reference::orthonormal(Eigen::MatrixXd::Random(d1, d1));
    for (int i = 0; i < d1; ++i) {
        x.col(i) /= 1 + 9.0 * i / d1;
    }
    x.col(d1 / 3) *= 100;
    return x.transpose() * x;
}

}  // namespace cospadi::massive_inputs
