// Eigen's decompositions in double, what backends and solvers are compared with. Compiled once:
// their templates take longer to compile than all else in the programs that ask for them.
#pragma once

#include <Eigen/Core>

namespace cospadi::reference {

struct Svd {
    Eigen::MatrixXd U;  // (m, r), r = min(m, n)
    Eigen::VectorXd values;
    Eigen::MatrixXd V;  // (n, r)
};

Svd svd(const Eigen::MatrixXd& a);
// Of a symmetric matrix, ascending.
Eigen::VectorXd eigenvalues(const Eigen::MatrixXd& a);
Eigen::MatrixXd inverse(const Eigen::MatrixXd& a);
// The columns of a (m, n), n ≤ m, made orthonormal.
Eigen::MatrixXd orthonormal(const Eigen::MatrixXd& a);
// R, upper triangular, RᵀR = a.
Eigen::MatrixXd choleskyFactor(const Eigen::MatrixXd& a);
Eigen::MatrixXd solveUpper(const Eigen::MatrixXd& r, const Eigen::MatrixXd& b);
Eigen::MatrixXd solveSymmetric(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b);
// X with the least |A X − B|.
Eigen::MatrixXd leastSquares(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b);

}  // namespace cospadi::reference
