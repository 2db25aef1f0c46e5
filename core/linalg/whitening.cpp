#include "core/linalg/whitening.h"

#include <cblas.h>
#include <lapacke.h>

#include <algorithm>

#include "core/base/error.h"

namespace cospadi {

namespace {

constexpr double kRelativeFloor = 1e-6;

bool factorize(Eigen::MatrixXd& a) {
    const auto n = static_cast<lapack_int>(a.rows());
    return LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'U', n, a.data(), n) == 0;
}

double smallestEigenvalue(Eigen::MatrixXd a) {
    const auto n = static_cast<lapack_int>(a.rows());
    Eigen::VectorXd values(n);
    if (LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'N', 'U', n, a.data(), n, values.data()) != 0) {
        throw Error("the eigenvalues of the Gram matrix did not converge", "whitening",
                    "use more, or other, calibration text");
    }
    return values(0);
}

}  // namespace

Whitening::Whitening(const Eigen::MatrixXd& gram, const std::string& layer) : m_factor(gram) {
    if (!gram.allFinite()) {
        throw Error("the Gram matrix holds NaN or infinite values", layer,
                    "check the model and the calibration text");
    }
    const double mean = gram.diagonal().mean();
    if (!(mean > 0)) {
        throw Error("the Gram matrix is zero: no calibration token reached this layer", layer,
                    "use more calibration text");
    }
    if (!factorize(m_factor)) {
        // λmin comes with a rounding error of its own: grow the margin until Cholesky agrees.
        const double lowest = smallestEigenvalue(gram);
        for (double margin = kRelativeFloor * mean;; margin *= 10) {
            m_shift = std::max(0.0, -lowest + margin);
            m_factor = gram;
            m_factor.diagonal().array() += m_shift;
            if (factorize(m_factor)) {
                break;
            }
        }
    }
}

Eigen::MatrixXd Whitening::gram() const {
    const Eigen::MatrixXd factor = m_factor.triangularView<Eigen::Upper>();
    Eigen::MatrixXd result = Eigen::MatrixXd::Zero(factor.rows(), factor.cols());
    cblas_dsyrk(CblasColMajor, CblasUpper, CblasTrans, static_cast<blasint>(factor.rows()),
                static_cast<blasint>(factor.rows()), 1, factor.data(),
                static_cast<blasint>(factor.rows()), 0, result.data(),
                static_cast<blasint>(factor.rows()));
    result.triangularView<Eigen::StrictlyLower>() = result.transpose();
    return result;
}

Eigen::MatrixXf Whitening::whitenedFromOriginal(const Eigen::MatrixXf& w) const {
    Eigen::MatrixXd result = w.cast<double>();
    cblas_dtrmm(CblasColMajor, CblasLeft, CblasUpper, CblasNoTrans, CblasNonUnit,
                static_cast<blasint>(w.rows()), static_cast<blasint>(w.cols()), 1, m_factor.data(),
                static_cast<blasint>(w.rows()), result.data(), static_cast<blasint>(w.rows()));
    return result.cast<float>();
}

Eigen::MatrixXf Whitening::originalFromWhitened(const Eigen::MatrixXf& d) const {
    Eigen::MatrixXd result = d.cast<double>();
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasUpper, CblasNoTrans, CblasNonUnit,
                static_cast<blasint>(d.rows()), static_cast<blasint>(d.cols()), 1, m_factor.data(),
                static_cast<blasint>(d.rows()), result.data(), static_cast<blasint>(d.rows()));
    return result.cast<float>();
}

}  // namespace cospadi
