#include "core/linalg/whitening.h"

#include <lapacke.h>

#include <algorithm>
#include <functional>
#include <map>
#include <mutex>
#include <utility>

#include "core/base/error.h"

namespace cospadi {

namespace {

// What is added to the diagonal of a Gram without a factor: first this share of its mean, then ten
// times as much, on top of what its least eigenvalue lacks or without a look at it.
struct ShiftRule {
    double floor;
    bool looksAtEigenvalues;
};
constexpr ShiftRule kForSolving{1e-6, true};
constexpr ShiftRule kForMeasuring{1e-9, false};

using Factorize = std::function<std::unique_ptr<GramFactor>(double shift)>;

// On the host for every backend: λmin decides the shift, which stands in the run's record. Of the
// symmetric a, ascending; with `job` V a becomes its eigenvectors.
Eigen::VectorXd eigenvalues(char job, Eigen::MatrixXd& a) {
    const auto n = static_cast<lapack_int>(a.rows());
    Eigen::VectorXd values(n);
    if (LAPACKE_dsyevd(LAPACK_COL_MAJOR, job, 'U', n, a.data(), n, values.data()) != 0) {
        throw Error("the eigenvalues of the Gram matrix did not converge", "whitening",
                    "use more, or other, calibration text");
    }
    return values;
}

double smallestEigenvalue(Eigen::MatrixXd a) { return eigenvalues('N', a)(0); }

class DiagonalFactor final : public GramFactor {
  public:
    explicit DiagonalFactor(Eigen::VectorXd lengths) : m_lengths(std::move(lengths)) {}

    Eigen::MatrixXd product() const override { return m_lengths.cwiseAbs2().asDiagonal(); }
    Eigen::MatrixXf times(const Eigen::MatrixXf& w) const override {
        return m_lengths.cast<float>().asDiagonal() * w;
    }
    Eigen::MatrixXf solve(const Eigen::MatrixXf& d) const override {
        return m_lengths.cwiseInverse().cast<float>().asDiagonal() * d;
    }
    Eigen::VectorXd diagonal() const override { return m_lengths; }

  private:
    Eigen::VectorXd m_lengths;
};

// With the shift it took.
std::unique_ptr<GramFactor> factorized(const Eigen::MatrixXd& gram, const std::string& layer,
                                       const ShiftRule& rule, const Factorize& factorize,
                                       double& shift) {
    if (!gram.allFinite()) {
        throw Error("the Gram matrix holds NaN or infinite values", layer,
                    "check the model and the calibration text");
    }
    const double mean = gram.diagonal().mean();
    if (!(mean > 0)) {
        throw Error("the Gram matrix is zero: no calibration token reached this layer", layer,
                    "use more calibration text");
    }
    std::unique_ptr<GramFactor> factor = factorize(0);
    if (!factor) {
        // λmin comes with a rounding error of its own: grow the margin until Cholesky agrees.
        const double lowest = rule.looksAtEigenvalues ? smallestEigenvalue(gram) : 0;
        for (double margin = rule.floor * mean; !factor; margin *= 10) {
            shift = std::max(0.0, -lowest + margin);
            factor = factorize(shift);
        }
    }
    return factor;
}

double pivotRatioOf(const GramFactor& factor) {
    const Eigen::ArrayXd pivots = factor.diagonal().array().square();
    return pivots.minCoeff() / pivots.maxCoeff();
}

}  // namespace

struct Whitening::Ridged {
    std::mutex mutex;
    std::map<double, Whitening> byShare;
};

Whitening::Whitening() : m_ridged(std::make_shared<Ridged>()) {}

Whitening::Whitening(const Eigen::MatrixXd& gram, const std::string& layer) : Whitening() {
    m_factor = factorized(
        gram, layer, kForSolving, [&](double shift) { return hostGramFactor(gram, shift); },
        m_shift);
    m_gramDiagonal = gram.diagonal().array() + m_shift;
    m_pivotRatio = pivotRatioOf(*m_factor);
}

Whitening::Whitening(const Eigen::MatrixXd& gram, const std::string& layer, Backend& backend)
    : Whitening(gram, layer, backend, Use::Solving) {}

Whitening::Whitening(const Eigen::MatrixXd& gram, const std::string& layer, Backend& backend,
                     Use use)
    : Whitening() {
    m_factor = factorized(
        gram, layer, use == Use::Solving ? kForSolving : kForMeasuring,
        [&](double shift) { return backend.gramFactor(gram, shift); }, m_shift);
    m_gramDiagonal = gram.diagonal().array() + m_shift;
    m_pivotRatio = pivotRatioOf(*m_factor);
}

Whitening Whitening::ofDiagonal(const Eigen::VectorXd& diagonal, const std::string& layer) {
    if (!diagonal.allFinite() || !(diagonal.minCoeff() > 0)) {
        throw Error("the metric's diagonal is not finite and positive", layer,
                    "check the model and the calibration text");
    }
    Whitening whitening;
    whitening.m_factor = std::make_shared<DiagonalFactor>(diagonal.cwiseSqrt());
    whitening.m_gramDiagonal = diagonal;
    whitening.m_pivotRatio = diagonal.minCoeff() / diagonal.maxCoeff();
    return whitening;
}

Whitening Whitening::forMeasuring(const Eigen::MatrixXd& gram, const std::string& layer,
                                  Backend& backend) {
    return {gram, layer, backend, Use::Measuring};
}

GramSpectrum Whitening::spectrum() const {
    Eigen::MatrixXd vectors = gram();
    const Eigen::VectorXd values = eigenvalues('V', vectors).array() - m_shift;
    const Eigen::Index n = values.size();
    const double none = kNoDirection * static_cast<double>(n) * values(n - 1);
    const Eigen::Index kept = (values.array() > none).count();
    return {values.tail(kept), vectors.rightCols(kept)};
}

Whitening Whitening::ridged(double relative, Backend& backend) const {
    const std::scoped_lock lock(m_ridged->mutex);
    const auto known = m_ridged->byShare.find(relative);
    if (known != m_ridged->byShare.end()) {
        return known->second;
    }
    Eigen::MatrixXd g = gram();
    g.diagonal().array() += relative * g.diagonal().mean();
    return m_ridged->byShare.emplace(relative, Whitening(g, "ridge", backend)).first->second;
}

}  // namespace cospadi
