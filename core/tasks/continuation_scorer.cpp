#include "core/tasks/continuation_scorer.h"

#include <algorithm>
#include <iterator>

#include "core/model/key_value_cache.h"
#include "core/tasks/continuation_batch.h"

namespace cospadi {

namespace {

constexpr std::int64_t kBatchTokens = 2048;                     // columns of one pass
constexpr std::int64_t kCacheBytes = std::int64_t{512} << 20U;  // keys and values of a batch

}  // namespace

ContinuationScorer::ContinuationScorer(const Model& model, ThreadPool& pool,
                                       DeviceProducts* products, std::int64_t hiddenBytes)
    : m_model(model), m_pass(model, pool, products) {
    if (model.isDeferred()) {
        const auto column = static_cast<std::int64_t>(sizeof(float)) * model.config().hiddenSize;
        m_columnsTogether = hiddenBytes / column;
    }
}

// Those that pass a block at once; what their keys and values take there counts as well.
ContinuationScorer::Batch ContinuationScorer::firstBatch(
    std::span<const ContinuationGroup> groups) const {
    const ModelConfig& config = m_model.config();
    const std::int64_t tokenBytes = KeyValueCache::bytesOfToken(config) / config.blocks;
    Batch batch;
    std::int64_t cached = 0;
    for (const ContinuationGroup& group : groups) {
        const ContinuationSize size = sizeOf(group);
        cached += size.cached;
        if (batch.groups > 0 &&
            (batch.columns + size.columns > kBatchTokens || cached * tokenBytes > kCacheBytes)) {
            break;
        }
        batch.columns += size.columns;
        ++batch.groups;
    }
    return batch;
}

// Whole batches, so that these are the same however many go together.
std::size_t ContinuationScorer::batch(std::span<const ContinuationGroup> groups) const {
    std::size_t count = 0;
    std::int64_t columns = 0;
    while (count < groups.size()) {
        const Batch next = firstBatch(groups.subspan(count));
        columns += next.columns;
        if (count > 0 && columns > m_columnsTogether) {
            break;
        }
        count += next.groups;
    }
    return std::max<std::size_t>(count, 1);
}

std::optional<std::vector<std::vector<ContinuationScore>>> ContinuationScorer::score(
    std::span<const ContinuationGroup> groups, const std::function<void(double share)>& advance,
    const std::stop_token& stop) {
    std::vector<ContinuationBatch> batches;
    std::int64_t columns = 0;
    for (auto rest = groups; !rest.empty();) {
        const Batch next = firstBatch(rest);
        batches.emplace_back(m_pass, rest.first(next.groups));
        columns += next.columns;
        rest = rest.subspan(next.groups);
    }
    m_pass.letGo();
    const ModelConfig& config = m_model.config();
    const double all = static_cast<double>(columns * config.blocks);
    std::int64_t done = 0;
    const bool whole = m_pass.forEachBlock(
        batches.size(),
        [&](std::int64_t block, std::size_t batch) {
            batches[batch].runBlock(m_pass, config, block);
            done += batches[batch].columns();
            if (advance) {
                advance(static_cast<double>(done) / all);
            }
        },
        stop);
    if (!whole) {
        return std::nullopt;
    }
    std::vector<std::vector<ContinuationScore>> scores;
    for (ContinuationBatch& batch : batches) {
        if (stop.stop_requested()) {
            return std::nullopt;
        }
        std::ranges::move(batch.scores(m_pass), std::back_inserter(scores));
    }
    m_pass.letGo();
    m_computed += columns;
    return scores;
}

}  // namespace cospadi
