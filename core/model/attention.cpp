#include "core/model/attention.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/model/float_kernels.h"
#include "core/products/blas.h"

namespace cospadi {

namespace {

constexpr std::int64_t kQueryBlock = 128;

}  // namespace

void causalAttention(ThreadPool& pool, const ModelConfig& config,
                     std::span<const AttentionSpan> spans, const Eigen::MatrixXf& Q,
                     Eigen::MatrixXf& O) {
    const std::int64_t dim = config.headDim;
    const std::int64_t group = config.heads / config.keyValueHeads;
    const auto scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(dim)));
    O.resize(Q.rows(), Q.cols());

    struct Task {
        const AttentionSpan* span;
        std::int64_t first;  // query within the span
    };
    std::vector<Task> blocks;
    for (const AttentionSpan& span : spans) {
        for (std::int64_t first = 0; first < span.queries; first += kQueryBlock) {
            blocks.push_back({&span, first});
        }
    }
    // Long tasks (late queries) first.
    std::stable_sort(blocks.begin(), blocks.end(), [](const Task& a, const Task& b) {
        return a.span->past + a.first > b.span->past + b.first;
    });

    // A pool of one thread runs inline: products inside a task stay in that task.
    static ThreadPool inlinePool(1);

    pool.run(static_cast<std::int64_t>(blocks.size()) * config.heads, [&](std::int64_t task) {
        const auto& [span, first] = blocks[static_cast<std::size_t>(task / config.heads)];
        const std::int64_t head = task % config.heads;
        const std::int64_t kvRow = head / group * dim;

        const std::int64_t queries = std::min(kQueryBlock, span->queries - first);
        const std::int64_t total = span->past + first + queries;  // keys the last query sees
        const std::int64_t window = config.slidingWindow > 0 ? config.slidingWindow : total;
        const std::int64_t firstKey = std::max<std::int64_t>(0, span->past + first - window + 1);
        const std::int64_t keys = total - firstKey;
        const std::int64_t offset = firstKey * span->stride + kvRow;
        const std::int64_t column = span->column + first;

        // Grown, never shrunk: fresh memory for every task would cost more than the products.
        thread_local std::vector<float> scores;
        scores.resize(std::max(scores.size(), static_cast<std::size_t>(keys * queries)));
        gemm(inlinePool, Op::Transpose, Op::None, keys, queries, dim, 1.0F, span->keys + offset,
             span->stride, &Q.coeffRef(head * dim, column), Q.rows(), 0.0F, scores.data(), keys);
        for (std::int64_t q = 0; q < queries; ++q) {
            const std::int64_t end = keys - queries + q + 1;  // keys that this query sees
            const std::int64_t begin = std::max<std::int64_t>(0, end - window);
            float* weights = scores.data() + q * keys;
            std::fill(weights, weights + begin, 0.0F);
            softmax(weights + begin, end - begin, scale);
            std::fill(weights + end, weights + keys, 0.0F);
        }
        gemm(inlinePool, Op::None, Op::None, dim, queries, keys, 1.0F, span->values + offset,
             span->stride, scores.data(), keys, 0.0F, &O.coeffRef(head * dim, column), O.rows());
    });
}

}  // namespace cospadi
