// Log likelihoods of continuations, in batches: what tasks are scored with.
//
// Requests that begin alike are given together as one group; what they have in common is computed
// once, and logits are made only where a continuation's tokens are. Sequences stand alone, so that
// the grouping changes nothing but the last bits.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/thread_pool.h"
#include "core/model/forward.h"
#include "core/model/model.h"

namespace cospadi {

struct ContinuationRequest {
    std::vector<std::int32_t> ids;  // context, then continuation
    std::int64_t context = 1;       // ids of the context, at least 1, fewer than all
};

struct ContinuationScore {
    double logLikelihood = 0;  // natural logarithm, of all tokens of the continuation
    bool isGreedy = true;      // each of them is what greedy decoding would have chosen
};

using ContinuationGroup = std::vector<ContinuationRequest>;

class ContinuationScorer {
  public:
    // All must outlive the scorer; the pool must not run anything else meanwhile. `products`: where
    // the linear layers are computed instead of on the host; the head never is.
    ContinuationScorer(const Model& model, ThreadPool& pool, DeviceProducts* products = nullptr);

    // How many groups from the first are worth computing at once, at least one.
    std::size_t batch(std::span<const ContinuationGroup> groups) const;

    // In the order of groups and requests. Throws Error for ids outside the vocabulary.
    std::vector<std::vector<ContinuationScore>> score(std::span<const ContinuationGroup> groups);

    std::int64_t computedTokens() const { return m_computed; }  // columns through the layers so far

  private:
    struct Trunk;
    struct Branch;
    Eigen::MatrixXf computeTrunks(std::span<const ContinuationGroup> groups,
                                  std::vector<Trunk>& trunks);
    Eigen::MatrixXf computeBranches(std::span<const ContinuationGroup> groups,
                                    const std::vector<Trunk>& trunks,
                                    std::vector<Branch>& branches);

    const Model& m_model;
    ForwardPass m_pass;
    std::int64_t m_computed = 0;
};

}  // namespace cospadi
