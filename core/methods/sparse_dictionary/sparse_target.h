// What a dictionary is learned for: W_L, or W as it is, with the dictionary on the input side, or
// Wᵀ with it on the output side, where a metric of the inputs couples the columns of S. A metric of
// the outputs (core/methods/output_metric.h) whitens the dictionary on the output side; on the
// input side it couples the columns, or weighs them where it is diagonal.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/dictionary/dictionary_learning.h"
#include "core/dictionary/pair_learning.h"
#include "core/forms/sparse_dictionary/sparse_dictionary_weight.h"
#include "core/linalg/whitening.h"
#include "core/methods/method.h"
#include "core/methods/output_metric.h"

namespace cospadi {

class SparseTarget {
  public:
    SparseTarget() = default;
    virtual ~SparseTarget() = default;
    SparseTarget(const SparseTarget&) = delete;
    SparseTarget& operator=(const SparseTarget&) = delete;

    // The schedule that suits it.
    virtual FastOptions usualFastOptions() const = 0;
    // Each throws Error where the target has no such solver: K-SVD, Procrustes and eigenbasis where
    // columns are coupled, these and fast of a pair, all but fast of other layers by parts; pairs
    // where there is none.
    virtual LearnedDictionary learn(std::int64_t k, std::int64_t s, const FastOptions& options,
                                    const IterationCallback& callback, const std::stop_token& stop);
    virtual LearnedDictionary learn(std::int64_t k, std::int64_t s, KsvdOptions options,
                                    const IterationCallback& callback, const std::stop_token& stop);
    virtual LearnedDictionary learn(std::int64_t k, std::int64_t s,
                                    const ProcrustesOptions& options,
                                    const IterationCallback& callback, const std::stop_token& stop);
    virtual LearnedDictionary learn(std::int64_t k, std::int64_t s, EigenbasisOptions options,
                                    const IterationCallback& callback, const std::stop_token& stop);
    virtual LearnedDictionary learn(std::int64_t k, std::int64_t s, const PairOptions& options,
                                    const IterationCallback& callback, const std::stop_token& stop);
    // D as learned → as stored, before rounding.
    virtual Eigen::MatrixXf stored(const Eigen::MatrixXf& dictionary) const = 0;
    // Fits codes once more to the dictionary as it is stored. Returns the relative error after it,
    // before rounding.
    virtual double refit(const Eigen::MatrixXf& storedDictionary, Matrix& codes, int steps) = 0;
};

// w (d1, d2), space and outputs, which may both be null, must outlive it.
std::unique_ptr<SparseTarget> sparseTarget(Backend& backend, const Eigen::MatrixXf& w,
                                           const Whitening* space, DictionarySide side,
                                           const OutputMetric* outputs = nullptr);

// Layers side by side, each in its own metric, with the dictionary on the input side: one or two,
// for PairOptions; any number, for FastOptions.
std::unique_ptr<SparseTarget> pairTarget(Backend& backend, std::vector<MetricLayer> layers);
std::unique_ptr<SparseTarget> ownMetricsTarget(Backend& backend, std::vector<MetricLayer> layers);
// Layers side by side in one metric, each scaled in it to the same size, so that relative errors
// weigh as their costs say. w and space must outlive it.
std::unique_ptr<SparseTarget> balancedTarget(Backend& backend, const Eigen::MatrixXf& w,
                                             const Whitening* space,
                                             std::span<const UnitPart> parts);
// Layers one below the other, each in its own metric, with the dictionary on the output side: for
// FastOptions. parts: of each layer; its squared error counts as its metric of the outputs weighs
// it, or else its relative error as its cost says.
std::unique_ptr<SparseTarget> stackedTarget(Backend& backend,
                                            const std::vector<MetricLayer>& layers,
                                            std::span<const UnitPart> parts);

}  // namespace cospadi
