// How far apart two models of one architecture are: their weights layer by layer, and what they
// predict for the same text.
//
// Weights: ‖W_A − W_B‖_F / ‖W_A‖_F (plain, not whitened), compressed matrices multiplied out.
// Predictions: the text is cut as for perplexity (perplexity.h); at every scored position the
// Kullback–Leibler divergence KL(A ‖ B) = Σ p_A ln(p_A / p_B) in nats over the vocabulary, whether
// both have the same most likely token, and both perplexities. Sums in double.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/base/thread_pool.h"
#include "core/model/model.h"

namespace cospadi {

struct LayerDifference {
    std::string name;
    std::int64_t d1 = 0, d2 = 0;
    double relativeError = 0;
};

struct PredictionDifference {
    double meanDivergence = 0;  // nats
    double maxDivergence = 0;
    double p99Divergence = 0;  // 99 % of positions lie below
    double top1Agreement = 0;  // fraction of positions
    double perplexityA = 0;
    double perplexityB = 0;
    std::int64_t positions = 0;
};

// Layers in forward order. Throws Error where the two have other layers or shapes.
std::vector<LayerDifference> compareWeights(const Model& a, const Model& b, ThreadPool& pool);

// nullopt when cancelled. Progress counts tokens, stage "compare". Throws Error where the
// vocabularies differ in size, or the ids are fewer than one chunk.
std::optional<PredictionDifference> comparePredictions(
    const Model& a, const Model& b, ThreadPool& pool, std::span<const std::int32_t> ids,
    std::int64_t context, const ProgressCallback& progress = {}, const std::stop_token& stop = {});

}  // namespace cospadi
