// The Cholesky factor of a Gram matrix's inverse: what methods need that make up for the error of
// one input by those after it (GPTQ, arXiv 2210.17323, step 3).
#pragma once

#include <Eigen/Core>

namespace cospadi {

// U (n, n) upper triangular, zero below, with UᵀU = A⁻¹ for a symmetric positive definite A (n, n).
// Row i of U, times U(i, i), is row i of the inverse of A's block of inputs i …: what is left of it
// once those before i are fixed.
//
// The inverse itself is never formed: with A = R Rᵀ, R upper triangular (Cholesky's factorisation
// from the last input to the first), U = R⁻¹. In double with LAPACK on the host, rounded once at
// the end. Throws Error where A is not positive definite.
Eigen::MatrixXf inverseFactor(Eigen::MatrixXd a);

}  // namespace cospadi
