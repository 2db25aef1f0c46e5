// What the removal, or the rounding, of a weight costs once the inputs after it make up for it
// (Optimal Brain Surgeon, taken input by input in their order: GPTQ, arXiv 2210.17323; SparseGPT,
// arXiv 2301.00774): the triangular factor of the inverse of a layer's Gram matrix.
#pragma once

#include <Eigen/Core>

#include "core/linalg/whitening.h"

namespace cospadi {

// G + damp · mean diagonal (G) · I.
Eigen::MatrixXd dampedGram(const Whitening& whitening, double damp);

// U (n, n) upper triangular with a positive diagonal, zero below, UᵀU = A⁻¹ for a symmetric
// positive definite A (n, n).
//
// U(i, i)² is the (i, i) entry of the inverse of A without its first i rows and columns. A change
// of w(i) by −e is made up for best, by inputs behind i alone, by w(k) −= e / U(i, i) · U(i, k),
// and costs e² / U(i, i)².
//
// In double with LAPACK on the host; the inverse itself is never formed. Throws Error where A is
// not positive definite.
Eigen::MatrixXd inverseFactor(Eigen::MatrixXd a);

}  // namespace cospadi
