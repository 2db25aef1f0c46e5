// Groups of requests that pass a block of the model together. What the requests of a group begin
// with, its trunk, is computed once; what follows in each is a branch from it. Keys and values are
// held while a block is at work, no longer.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/model/forward.h"
#include "core/tasks/continuation_scorer.h"

namespace cospadi {

// Of one group, before anything is computed.
struct ContinuationSize {
    std::int64_t common = 0;   // tokens that all requests read first
    std::int64_t columns = 0;  // through the layers: common ones once
    std::int64_t cached = 0;   // whose keys and values a block holds
};

ContinuationSize sizeOf(const ContinuationGroup& group);

class ContinuationBatch {
  public:
    // Embeds the tokens; Error for ids outside the vocabulary. The groups must outlive the batch.
    ContinuationBatch(const ForwardPass& pass, std::span<const ContinuationGroup> groups);

    std::int64_t columns() const { return m_common.cols() + m_own.cols(); }

    void runBlock(ForwardPass& pass, const ModelConfig& config, std::int64_t block);

    // After the last block: a score for every request of every group.
    std::vector<std::vector<ContinuationScore>> scores(ForwardPass& pass);

  private:
    struct Trunk {
        std::int64_t length = 0;
        std::int64_t column = 0;  // of its first token in m_common
    };
    struct Branch {
        std::size_t group = 0, request = 0;
        std::int64_t column = 0;  // in m_own
    };

    std::span<const std::int32_t> trunkOf(std::size_t group) const;
    std::span<const std::int32_t> restOf(const Branch& branch) const;

    std::span<const ContinuationGroup> m_groups;
    std::vector<Trunk> m_trunks;      // one a group, also without tokens
    std::vector<Branch> m_branches;   // of requests that have more, in the order of groups
    Eigen::MatrixXf m_common, m_own;  // residuals (hidden, N) of all trunks, of all branches
};

}  // namespace cospadi
