// Gradients through causal attention (core/model/attention.h).
#pragma once

#include <Eigen/Core>
#include <cstdint>

#include "core/base/thread_pool.h"
#include "core/model/model_config.h"

namespace cospadi {

struct AttentionGradient {
    Eigen::MatrixXf q;     // (heads·headDim, N)
    Eigen::MatrixXf k, v;  // (keyValueHeads·headDim, N)
};

// Of the rotated Q and K, and of V, for whole sequences of `length` tokens side by side; dO (heads·
// headDim, N) the gradient of the attention's output. Probabilities are computed once more, in
// blocks of queries: memory a task is length × 128 floats, twice. Does not depend on the number of
// threads.
AttentionGradient attentionGradient(ThreadPool& pool, const ModelConfig& config,
                                    const Eigen::MatrixXf& Q, const Eigen::MatrixXf& K,
                                    const Eigen::MatrixXf& V, std::int64_t length,
                                    const Eigen::MatrixXf& dO);

}  // namespace cospadi
