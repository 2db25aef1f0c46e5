#include <algorithm>
#include <cmath>

#include "core/dictionary/fast_atoms.h"
#include "core/methods/sparse_dictionary/sparse_method.h"
#include "core/methods/stored_factors.h"

namespace cospadi {

namespace {

constexpr Eigen::Index kSampledColumns = 1024;

// W_L W_Lᵀ = L (W Wᵀ) Lᵀ, for which W itself need not be whitened.
Matrix outerProduct(Backend& backend, const Eigen::MatrixXf& w, const Whitening* space) {
    Matrix product = backend.zeros(w.rows(), w.rows());
    backend.syrk(Op::None, backend.upload(w), product);
    if (space == nullptr) {
        return product;
    }
    const Eigen::MatrixXf left = space->whitenedFromOriginal(backend.download(product));
    return backend.upload(space->whitenedFromOriginal(left.transpose()));
}

// Evenly spread; all of them where there are few.
Eigen::MatrixXf sampleOf(const Eigen::MatrixXf& w) {
    const Eigen::Index count = std::min(w.cols(), kSampledColumns);
    Eigen::MatrixXf sample(w.rows(), count);
    for (Eigen::Index j = 0; j < count; ++j) {
        sample.col(j) = w.col(j * w.cols() / count);
    }
    return sample;
}

}  // namespace

std::optional<double> errorOfBeginning(Backend& backend, const Eigen::MatrixXf& w,
                                       const Whitening* whitening, const MatrixOptions& options) {
    const bool supported = sideOf(options, w.rows(), w.cols()) == DictionarySide::Input &&
                           !codePatternOf(options).isGrouped() && w.rows() <= w.cols();
    if (!supported) {
        return std::nullopt;
    }
    const SparseBudget budget = sparseBudgetOf(options, w.rows(), w.cols());
    const Whitening* space = options.method->needsCalibration() ? whitening : nullptr;
    const Matrix directions = backend.leadingEigenvectors(
        outerProduct(backend, w, space), std::min<std::int64_t>(budget.k, w.rows()));
    const Matrix sample = backend.upload(whitenedIf(space, sampleOf(w)));
    const double whole = backend.dot(sample, sample);
    if (!(whole > 0)) {
        return std::nullopt;
    }
    const solver::Support support{std::min(budget.s, directions.cols), {}};
    const Matrix codes = solver::largestProjections(backend, directions, sample, support);
    return std::sqrt(std::max(0.0, 1 - backend.dot(codes, codes) / whole));
}

}  // namespace cospadi
