#include <numeric>

#include "core/dictionary/pair_learning.h"

namespace cospadi {

namespace {

// (G₂, G₁ + G₂); of one layer (0, G₁), which any basis makes diagonal.
PencilSpectrum commonSpectrum(const std::vector<Eigen::MatrixXd>& matrices, double ridge,
                              const char* what) {
    Eigen::MatrixXd sum =
        std::accumulate(std::next(matrices.begin()), matrices.end(), matrices.front(),
                        [](Eigen::MatrixXd a, const Eigen::MatrixXd& b) {
                            a += b;
                            return a;
                        });
    sum.diagonal().array() += ridge * sum.diagonal().mean();
    Eigen::MatrixXd second = matrices.size() > 1
                                 ? matrices.back()
                                 : Eigen::MatrixXd(Eigen::MatrixXd::Zero(sum.rows(), sum.cols()));
    return pencilSpectrum(std::move(second), std::move(sum), what);
}

}  // namespace

PairDictionaryStep::PairDictionaryStep(const std::vector<Eigen::MatrixXd>& grams)
    : m_grams(commonSpectrum(grams, 0, "calibration")) {}

Eigen::MatrixXd PairDictionaryStep::solve(const std::vector<Eigen::MatrixXd>& squares,
                                          const Eigen::MatrixXd& right, double ridge) const {
    const PencilSpectrum codes = commonSpectrum(squares, ridge, "dictionary update");
    const Eigen::MatrixXd& p = m_grams.vectors;
    const Eigen::MatrixXd& q = codes.vectors;
    Eigen::MatrixXd x = p.transpose() * right * q;
    for (Eigen::Index j = 0; j < x.cols(); ++j) {
        const double sigma = codes.values(j);
        for (Eigen::Index i = 0; i < x.rows(); ++i) {
            const double lambda = m_grams.values(i);
            x(i, j) /= (1 - lambda) * (1 - sigma) + lambda * sigma + ridge;
        }
    }
    return p * x * q.transpose();
}

}  // namespace cospadi
