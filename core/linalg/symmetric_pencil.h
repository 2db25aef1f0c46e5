// The eigenvectors that two symmetric matrices have in common: the generalised eigenproblem
// A p = λ B p, of which one basis makes both diagonal.
#pragma once

#include <Eigen/Core>

namespace cospadi {

struct PencilSpectrum {
    Eigen::VectorXd values;   // λ (n), ascending
    Eigen::MatrixXd vectors;  // P (n, n): PᵀB P = I, PᵀA P = diag(λ)
};

// a, b (n, n) symmetric, b positive definite; on the host with LAPACK, about 14 n³ operations.
// Throws Error naming `what` where b is not, or the values do not converge.
PencilSpectrum pencilSpectrum(Eigen::MatrixXd a, Eigen::MatrixXd b, const char* what);

}  // namespace cospadi
