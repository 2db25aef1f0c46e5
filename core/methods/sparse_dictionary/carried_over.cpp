#include <algorithm>
#include <cmath>
#include <functional>

#include "core/methods/sparse_dictionary/sparse_method.h"
#include "core/methods/stored_factors.h"

namespace cospadi {

namespace {

constexpr int kCarriedOverSteps = 6;

// The k rows of most weight, and of every column's entries in them the s largest.
Eigen::MatrixXf largestEntries(const Eigen::MatrixXf& codes, const Eigen::VectorXf& lengths,
                               std::int64_t k, std::int64_t s) {
    const Eigen::VectorXf weights = codes.rowwise().norm().cwiseProduct(lengths);
    const auto kthLargest = [](std::vector<float> values, std::int64_t place) {
        const auto at = values.begin() + (place - 1);
        std::nth_element(values.begin(), at, values.end(), std::greater<>());
        return *at;
    };
    const float least = k < codes.rows() ? kthLargest({weights.begin(), weights.end()}, k) : 0.0F;
    Eigen::MatrixXf kept = codes;
    std::vector<float> sizes;
    for (Eigen::Index j = 0; j < codes.cols(); ++j) {
        sizes.clear();
        for (Eigen::Index i = 0; i < codes.rows(); ++i) {
            kept(i, j) = weights(i) < least ? 0 : kept(i, j);
            if (kept(i, j) != 0) {
                sizes.push_back(std::abs(kept(i, j)) * lengths(i));
            }
        }
        if (static_cast<std::int64_t>(sizes.size()) > s) {
            const float smallest = kthLargest(sizes, s);
            for (Eigen::Index i = 0; i < codes.rows(); ++i) {
                kept(i, j) = std::abs(kept(i, j)) * lengths(i) < smallest ? 0 : kept(i, j);
            }
        }
    }
    return kept;
}

}  // namespace

std::optional<double> errorOfCarriedOver(Backend& backend, const Eigen::MatrixXf& w,
                                         const Whitening* whitening,
                                         const SparseDictionaryFactors& known,
                                         const MatrixOptions& options) {
    if (known.side != sideOf(options, w.rows(), w.cols()) || codePatternOf(options).isGrouped()) {
        return std::nullopt;
    }
    const SparseBudget budget = sparseBudgetOf(options, w.rows(), w.cols());
    const Whitening* space = options.method->needsCalibration() ? whitening : nullptr;
    const bool input = known.side == DictionarySide::Input;
    const Eigen::VectorXf lengths =
        whitenedIf(input ? space : nullptr, known.dictionary).colwise().norm().transpose();
    Matrix codes = backend.upload(largestEntries(known.codes, lengths, budget.k, budget.s));
    return sparseTarget(backend, w, space, known.side)
        ->refit(known.dictionary, codes, kCarriedOverSteps);
}

}  // namespace cospadi
