#include "core/linalg/inverse_factor.h"

#include <lapacke.h>

#include "core/base/error.h"

namespace cospadi {

Eigen::MatrixXd dampedGram(const Whitening& whitening, double damp) {
    Eigen::MatrixXd gram = whitening.gram();
    gram.diagonal().array() += damp * gram.diagonal().mean();
    return gram;
}

// With P the reversal of all rows: P A P = L Lᵀ gives A = (P L P) (P L P)ᵀ, of which P L P is upper
// triangular; U is its inverse.
Eigen::MatrixXd inverseFactor(Eigen::MatrixXd a) {
    const auto n = static_cast<lapack_int>(a.rows());
    a.reverseInPlace();
    if (LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', n, a.data(), n) != 0) {
        throw Error("the Gram matrix is not positive definite", "calibration",
                    "use more calibration text, or more damping");
    }
    a.reverseInPlace();
    LAPACKE_dtrtri(LAPACK_COL_MAJOR, 'U', 'N', n, a.data(), n);
    a.triangularView<Eigen::StrictlyLower>().setZero();
    return a;
}

}  // namespace cospadi
