// Eigenvalues and -vectors of a symmetric matrix in float32, by LAPACK's divide and conquer.
#pragma once

#include <cstdint>

namespace cospadi {

// a: (n, n) column-major, of which the upper triangle is read; it becomes the eigenvectors, a
// column each, and `values` (n) the eigenvalues, ascending. False where they did not converge, or
// the matrix holds NaN.
bool symmetricEigen(std::int64_t n, float* a, float* values);

}  // namespace cospadi
