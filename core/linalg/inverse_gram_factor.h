// What the removal, or the rounding, of a weight costs once the inputs after it make up for it
// (Optimal Brain Surgeon, taken input by input in their order): the triangular factor of the
// inverse of a layer's Gram matrix.
#pragma once

#include <Eigen/Core>

#include "core/linalg/whitening.h"

namespace cospadi {

// U (d1, d1), upper triangular with a positive diagonal, UᵀU = (G + damp · mean diagonal (G) ·
// I)⁻¹.
//
// U(i, i)² is the (i, i) entry of the inverse of that Gram matrix without its first i rows and
// columns. A change of w(i) by −e is made up for best, by inputs behind i alone, by
// w(k) −= e / U(i, i) · U(i, k), and costs e² / U(i, i)².
//
// In double, on the host. Throws Error where a Gram matrix with so little damping has no such
// factor.
Eigen::MatrixXd inverseGramFactor(const Whitening& whitening, double damp);

}  // namespace cospadi
