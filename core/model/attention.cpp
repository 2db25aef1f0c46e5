#include "core/model/attention.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/linalg/blas.h"
#include "core/model/float_kernels.h"

namespace cospadi {

namespace {

constexpr std::int64_t kQueryBlock = 128;

}  // namespace

void causalAttention(ThreadPool& pool, const ModelConfig& config, std::int64_t length,
                     const Eigen::MatrixXf& Q, const Eigen::MatrixXf& K, const Eigen::MatrixXf& V,
                     Eigen::MatrixXf& O) {
    const std::int64_t dim = config.headDim;
    const std::int64_t group = config.heads / config.keyValueHeads;
    const std::int64_t window = config.slidingWindow > 0 ? config.slidingWindow : length;
    const std::int64_t queryBlocks = (length + kQueryBlock - 1) / kQueryBlock;
    const std::int64_t sequences = Q.cols() / length;
    const auto scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(dim)));
    O.resize(Q.rows(), Q.cols());

    // A pool of one thread runs inline: products inside a task stay in that task.
    static ThreadPool inlinePool(1);

    pool.run(sequences * config.heads * queryBlocks, [&](std::int64_t task) {
        // Long tasks (late queries) first.
        const std::int64_t block = queryBlocks - 1 - task / (sequences * config.heads);
        const std::int64_t head = task % config.heads;
        const std::int64_t column = task / config.heads % sequences * length;
        const std::int64_t kvRow = head / group * dim;

        const std::int64_t first = block * kQueryBlock;
        const std::int64_t queries = std::min(kQueryBlock, length - first);
        const std::int64_t firstKey = std::max<std::int64_t>(0, first - window + 1);
        const std::int64_t keys = first + queries - firstKey;

        // Grown, never shrunk: fresh memory for every task would cost more than the products.
        thread_local std::vector<float> scores;
        scores.resize(std::max(scores.size(), static_cast<std::size_t>(keys * queries)));
        gemm(inlinePool, Op::Transpose, Op::None, keys, queries, dim, 1.0F,
             &K.coeffRef(kvRow, column + firstKey), K.rows(),
             &Q.coeffRef(head * dim, column + first), Q.rows(), 0.0F, scores.data(), keys);
        for (std::int64_t q = 0; q < queries; ++q) {
            const std::int64_t end = first + q + 1 - firstKey;  // keys that this query sees
            const std::int64_t begin = std::max<std::int64_t>(0, end - window);
            float* weights = scores.data() + q * keys;
            std::fill(weights, weights + begin, 0.0F);
            softmax(weights + begin, end - begin, scale);
            std::fill(weights + end, weights + keys, 0.0F);
        }
        gemm(inlinePool, Op::None, Op::None, dim, queries, keys, 1.0F,
             &V.coeffRef(kvRow, column + firstKey), V.rows(), scores.data(), keys, 0.0F,
             &O.coeffRef(head * dim, column + first), O.rows());
    });
}

}  // namespace cospadi
