// Singular vectors of a matrix that has lost rank.
#pragma once

#include <Eigen/Core>

namespace cospadi {

// By squared singular values, the least and the greatest of those asked for: whether W has not all
// of these directions, so that W v of the last is rounding.
inline bool hasLostRank(double leastSquared, double greatestSquared) {
    return !(leastSquared > 1e-12 * greatestSquared);
}

// u (d, n ≤ d): its columns, in order, become orthonormal; what is none of the columns before it
// stays as it is but for length and sign, and what is nothing becomes a direction of its own.
void completeOrthonormally(Eigen::MatrixXd& u);

}  // namespace cospadi
