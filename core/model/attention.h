// Causal attention of many sequences and heads, threaded over (sequence, head, block of queries).
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>

#include "core/base/thread_pool.h"
#include "core/model/model_config.h"

namespace cospadi {

// One sequence's share of a batch: `queries` tokens at positions past, past + 1, … whose queries
// are the columns from `column` on; keys and values of all past + queries tokens, rotated, with
// `stride` floats from token to token.
struct AttentionSpan {
    std::int64_t column = 0;
    std::int64_t queries = 0;
    std::int64_t past = 0;
    const float* keys = nullptr;    // (keyValueHeads·headDim, past + queries)
    const float* values = nullptr;  // the same shape
    std::int64_t stride = 0;
};

// Q (heads·headDim, N), rotated. O is resized like Q; columns that no span names stay undefined.
// Softmax in blocks: memory per task is (past + queries) × 128 floats at most.
void causalAttention(ThreadPool& pool, const ModelConfig& config,
                     std::span<const AttentionSpan> spans, const Eigen::MatrixXf& Q,
                     Eigen::MatrixXf& O);

}  // namespace cospadi
