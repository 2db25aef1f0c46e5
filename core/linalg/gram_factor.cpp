#include "core/linalg/gram_factor.h"

#include <cblas.h>
#include <lapacke.h>

#include <utility>

#include "core/linalg/backend.h"

namespace cospadi {

namespace {

blasint bi(Eigen::Index value) { return static_cast<blasint>(value); }

class HostGramFactor final : public GramFactor {
  public:
    explicit HostGramFactor(Eigen::MatrixXd factor) : m_factor(std::move(factor)) {}

    Eigen::MatrixXd product() const override {
        const Eigen::MatrixXd factor = m_factor.triangularView<Eigen::Upper>();
        const blasint n = bi(factor.rows());
        Eigen::MatrixXd result = Eigen::MatrixXd::Zero(factor.rows(), factor.cols());
        cblas_dsyrk(CblasColMajor, CblasUpper, CblasTrans, n, n, 1, factor.data(), n, 0,
                    result.data(), n);
        result.triangularView<Eigen::StrictlyLower>() = result.transpose();
        return result;
    }

    Eigen::MatrixXf times(const Eigen::MatrixXf& w) const override {
        Eigen::MatrixXd result = w.cast<double>();
        cblas_dtrmm(CblasColMajor, CblasLeft, CblasUpper, CblasNoTrans, CblasNonUnit, bi(w.rows()),
                    bi(w.cols()), 1, m_factor.data(), bi(w.rows()), result.data(), bi(w.rows()));
        return result.cast<float>();
    }

    Eigen::MatrixXf solve(const Eigen::MatrixXf& d) const override {
        Eigen::MatrixXd result = d.cast<double>();
        cblas_dtrsm(CblasColMajor, CblasLeft, CblasUpper, CblasNoTrans, CblasNonUnit, bi(d.rows()),
                    bi(d.cols()), 1, m_factor.data(), bi(d.rows()), result.data(), bi(d.rows()));
        return result.cast<float>();
    }

    Eigen::VectorXd diagonal() const override { return m_factor.diagonal(); }

  private:
    Eigen::MatrixXd m_factor;  // L in the upper triangle; what lies below is not its
};

}  // namespace

Matrix GramFactor::times(Backend& backend, const Matrix& w) const {
    return backend.upload(times(backend.download(w)));
}

UnitGram GramFactor::unitProduct(Backend& backend) const {
    const Eigen::MatrixXd gram = product();
    const double scale = 1 / gram.diagonal().mean();
    return {backend.upload((scale * gram).cast<float>()), scale};
}

std::unique_ptr<GramFactor> hostGramFactor(const Eigen::MatrixXd& gram, double shift) {
    Eigen::MatrixXd factor = gram;
    factor.diagonal().array() += shift;
    const auto n = static_cast<lapack_int>(factor.rows());
    if (LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'U', n, factor.data(), n) != 0) {
        return nullptr;
    }
    return std::make_unique<HostGramFactor>(std::move(factor));
}

}  // namespace cospadi
