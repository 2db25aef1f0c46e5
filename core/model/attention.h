// Causal attention of many sequences and heads, threaded over (sequence, head, block of queries).
#pragma once

#include <Eigen/Core>
#include <cstdint>

#include "core/base/thread_pool.h"
#include "core/model/model_config.h"

namespace cospadi {

// Q (heads·headDim, N), K and V (keyValueHeads·headDim, N), already rotated; N whole sequences of
// `length` columns. O is resized like Q. Softmax in blocks: memory per task is length × 128 floats.
void causalAttention(ThreadPool& pool, const ModelConfig& config, std::int64_t length,
                     const Eigen::MatrixXf& Q, const Eigen::MatrixXf& K, const Eigen::MatrixXf& V,
                     Eigen::MatrixXf& O);

}  // namespace cospadi
