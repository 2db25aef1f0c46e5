// Log likelihoods of continuations, in batches: what tasks are scored with.
//
// Requests that begin alike are given together as one group; what they have in common is computed
// once, and logits are made only where a continuation's tokens are. Sequences stand alone, so that
// the grouping changes nothing but the last bits. Through a deferred model many batches go
// together, block by block, as in core/evaluation/perplexity.h.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
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
    // the linear layers are computed instead of on the host; the head never is. hiddenBytes: of
    // the hidden states that go through a deferred model together.
    ContinuationScorer(const Model& model, ThreadPool& pool, DeviceProducts* products = nullptr,
                       std::int64_t hiddenBytes = kHiddenBytes);

    // How many groups from the first are worth computing at once, at least one.
    std::size_t batch(std::span<const ContinuationGroup> groups) const;

    // In the order of groups and requests; nullopt when cancelled (polled between blocks). advance
    // is told the share of the work that is done, once a block. Throws Error for ids outside the
    // vocabulary.
    std::optional<std::vector<std::vector<ContinuationScore>>> score(
        std::span<const ContinuationGroup> groups,
        const std::function<void(double share)>& advance = {}, const std::stop_token& stop = {});

    std::int64_t computedTokens() const { return m_computed; }  // columns through the layers so far

  private:
    struct Batch {
        std::size_t groups = 0;
        std::int64_t columns = 0;  // through the layers
    };
    Batch firstBatch(std::span<const ContinuationGroup> groups) const;

    const Model& m_model;
    ForwardPass m_pass;
    std::int64_t m_columnsTogether = 0;  // in batches, beyond the first of them
    std::int64_t m_computed = 0;
};

}  // namespace cospadi
