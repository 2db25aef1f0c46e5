#include "core/linalg/inverse_factor.h"

#include <lapacke.h>

#include "core/base/error.h"

namespace cospadi {

Eigen::MatrixXf inverseFactor(Eigen::MatrixXd a) {
    const auto n = static_cast<lapack_int>(a.rows());
    // Of the reversed matrix: its lower factor, reversed back, is R.
    a.reverseInPlace();
    if (LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', n, a.data(), n) != 0) {
        throw Error("the Gram matrix is not positive definite", "calibration",
                    "use more calibration text, or more damping");
    }
    a.reverseInPlace();
    LAPACKE_dtrtri(LAPACK_COL_MAJOR, 'U', 'N', n, a.data(), n);
    a.triangularView<Eigen::StrictlyLower>().setZero();
    return a.cast<float>();
}

}  // namespace cospadi
