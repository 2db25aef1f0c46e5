#include "core/gradients/attention_gradient.h"

#include <algorithm>
#include <cmath>

#include "core/model/float_kernels.h"
#include "core/products/blas.h"

namespace cospadi {

namespace {

using Eigen::MatrixXf;

constexpr std::int64_t kQueryBlock = 128;

// A part of a matrix whose columns are tokens: one head of a stretch of them.
struct Head {
    float* data;
    std::int64_t stride;
};

Head headOf(MatrixXf& x, std::int64_t row, std::int64_t column) {
    return {&x.coeffRef(row, column), x.rows()};
}

const float* headOf(const MatrixXf& x, std::int64_t row, std::int64_t column) {
    return &x.coeffRef(row, column);
}

}  // namespace

AttentionGradient attentionGradient(ThreadPool& pool, const ModelConfig& config, const MatrixXf& Q,
                                    const MatrixXf& K, const MatrixXf& V, std::int64_t length,
                                    const MatrixXf& dO) {
    const std::int64_t dim = config.headDim;
    const std::int64_t group = config.heads / config.keyValueHeads;
    const auto scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(dim)));
    AttentionGradient result{MatrixXf(Q.rows(), Q.cols()), MatrixXf::Zero(K.rows(), K.cols()),
                             MatrixXf::Zero(V.rows(), V.cols())};
    // A pool of one thread runs inline: products inside a task stay in that task.
    static ThreadPool inlinePool(1);

    // One task adds up all that a head of keys gets.
    pool.run(Q.cols() / length * config.keyValueHeads, [&](std::int64_t task) {
        const std::int64_t column = task / config.keyValueHeads * length;
        const std::int64_t keyRow = task % config.keyValueHeads * dim;
        MatrixXf weights, gradients;  // (keys, queries): probabilities, then their gradients
        for (std::int64_t head = 0; head < group; ++head) {
            const std::int64_t row = keyRow * group + head * dim;
            for (std::int64_t first = 0; first < length; first += kQueryBlock) {
                const std::int64_t queries = std::min(kQueryBlock, length - first);
                const std::int64_t total = first + queries;
                const std::int64_t window = config.slidingWindow > 0 ? config.slidingWindow : total;
                const std::int64_t firstKey = std::max<std::int64_t>(0, first - window + 1);
                const std::int64_t keys = total - firstKey;
                const std::int64_t at = column + first;       // of the first query
                const std::int64_t from = column + firstKey;  // of the first key
                weights.resize(keys, queries);
                gradients.resize(keys, queries);
                gemm(inlinePool, Op::Transpose, Op::None, keys, queries, dim, 1.0F,
                     headOf(K, keyRow, from), K.rows(), headOf(Q, row, at), Q.rows(), 0.0F,
                     weights.data(), keys);
                gemm(inlinePool, Op::Transpose, Op::None, keys, queries, dim, 1.0F,
                     headOf(V, keyRow, from), V.rows(), headOf(dO, row, at), dO.rows(), 0.0F,
                     gradients.data(), keys);
                for (std::int64_t q = 0; q < queries; ++q) {
                    const std::int64_t end = keys - queries + q + 1;  // keys that it sees
                    const std::int64_t begin = std::max<std::int64_t>(0, end - window);
                    softmax(&weights.coeffRef(begin, q), end - begin, scale);
                    weights.col(q).head(begin).setZero();
                    weights.col(q).tail(keys - end).setZero();
                }
                const Head dV = headOf(result.v, keyRow, from);
                gemm(inlinePool, Op::None, Op::Transpose, dim, keys, queries, 1.0F,
                     headOf(dO, row, at), dO.rows(), weights.data(), keys, 1.0F, dV.data,
                     dV.stride);
                // Through the softmax: p ∘ (g − pᵀg), and the scale of the scores.
                for (std::int64_t q = 0; q < queries; ++q) {
                    const float mean = weights.col(q).dot(gradients.col(q));
                    gradients.col(q).array() =
                        scale * weights.col(q).array() * (gradients.col(q).array() - mean);
                }
                const Head dQ = headOf(result.q, row, at);
                gemm(inlinePool, Op::None, Op::None, dim, queries, keys, 1.0F,
                     headOf(K, keyRow, from), K.rows(), gradients.data(), keys, 0.0F, dQ.data,
                     dQ.stride);
                const Head dK = headOf(result.k, keyRow, from);
                gemm(inlinePool, Op::None, Op::Transpose, dim, keys, queries, 1.0F,
                     headOf(Q, row, at), Q.rows(), gradients.data(), keys, 1.0F, dK.data,
                     dK.stride);
            }
        }
    });
    return result;
}

}  // namespace cospadi
