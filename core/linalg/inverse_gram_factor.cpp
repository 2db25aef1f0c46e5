#include "core/linalg/inverse_gram_factor.h"

#include <lapacke.h>

#include "core/base/error.h"

namespace cospadi {

// With P the reversal of all rows: P G P = L Lᵀ gives G = (P L P) (P L P)ᵀ, of which P L P is upper
// triangular; U is its inverse, P L⁻¹ P. The inverse of G itself is never formed.
Eigen::MatrixXd inverseGramFactor(const Whitening& whitening, double damp) {
    const double mean = whitening.gramDiagonal().mean();
    Eigen::MatrixXd factor = whitening.gram().reverse();
    factor.diagonal().array() += damp * mean;
    const auto n = static_cast<lapack_int>(factor.rows());
    if (LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', n, factor.data(), n) != 0 ||
        LAPACKE_dtrtri(LAPACK_COL_MAJOR, 'L', 'N', n, factor.data(), n) != 0) {
        throw Error("the Gram matrix has no inverse", "whitening",
                    "use more calibration text, or a ridge");
    }
    factor.triangularView<Eigen::StrictlyUpper>().setZero();
    return factor.reverse();
}

}  // namespace cospadi
