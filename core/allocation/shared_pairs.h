// Which two layers share a dictionary or a left factor best (`--groups adaptive`; left open by the
// paper, appendix on grouped details), by a cheap estimate: what factors of low rank leave in the
// same bytes. Of layers i and j of a kind,
//
//   e(i)²    = Σ_{r > r₁} σ_r² / Σ σ_r²    of  L_i W_i,
//   e(i, j)² = 2 Σ_{r > r₂} σ_r² / Σ σ_r²  of  L̄ [W_i/n_i  W_j/n_j],
//   r₁ = (1 − γ) d1 d2 / (d1 + d2),  r₂ = (1 − γ) 2 d1 d2 / (d1 + 2 d2),
//
// with n = ‖L W‖, so that both count alike, and L̄ the factor of the mean Gram, the metric in which
// they would be solved (methods/layer_groups.h). The gain of a pair is e(i)² + e(j)² − e(i, j)²;
// pairs are those with the largest sum of gains, and layers that gain with none stay alone.
#pragma once

#include <cstddef>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/base/progress.h"
#include "core/base/thread_pool.h"
#include "core/calibration/calibration.h"
#include "core/model/model.h"

namespace cospadi {

struct PairGain {
    std::size_t first = 0, second = 0;  // places in a list of layers
    double gain = 0;
};

// Pairs without a common layer, by their first layers, all of positive gain: the largest gains
// first, then exchanges of one pair for those in its way while the sum grows. Not always the
// optimum, but never below the greedy choice.
std::vector<PairGain> disjointPairs(std::vector<PairGain> candidates);

struct SharedPairs {
    std::vector<PairGain> pairs;
    // Σ e² over the layers that were looked at: all by themselves, in pairs of neighbouring blocks
    // (`--groups pairs`), in `pairs`.
    double alone = 0;
    double neighbours = 0;
    double chosen = 0;
};

struct SharedPairsProblem {
    const Model& model;
    ThreadPool& pool;
    const GramSet* grams;  // null: the plain metric
    const std::vector<LayerInfo>& layers;
    double cr;
};

constexpr std::int64_t kFarthestPair = 8;  // blocks between two layers of a pair

// Looks at layers of a kind that are at most kFarthestPair blocks apart; at attn_output and
// ffn_down not, which published groups leave alone. An eigenvalue problem of (d1, d1) a pair, in
// double; a pair at a time and thread. nullopt when cancelled. Throws Error where a weight or Gram
// is not finite.
std::optional<SharedPairs> chooseSharedPairs(const SharedPairsProblem& problem,
                                             const ProgressCallback& progress,
                                             const std::stop_token& stop);

}  // namespace cospadi
