#include "core/evaluation/perplexity.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

#include "core/base/error.h"
#include "core/model/forward.h"

namespace cospadi {

namespace {

// Tokens that pass at once: as fast as more, but for a device, which has to be kept busy.
constexpr std::int64_t kBatchTokens = 512;
constexpr std::int64_t kDeviceBatchTokens = 2048;

}  // namespace

void PerplexityOptions::validate() const {
    if (context < 4 || context > (1 << 20)) {
        throw Error("the context must lie between 4 and 1048576 tokens", "--context",
                    "512 is usual");
    }
    if (maxTokens < 0) {
        throw Error("the number of tokens is negative", "--max-tokens", "0 means all");
    }
}

std::optional<PerplexityResult> evaluatePerplexity(const Model& model, ThreadPool& pool,
                                                   std::span<const std::int32_t> ids,
                                                   const PerplexityOptions& options,
                                                   const ProgressCallback& progress,
                                                   const std::stop_token& stop,
                                                   DeviceProducts* products) {
    options.validate();
    auto tokens = static_cast<std::int64_t>(ids.size());
    if (options.maxTokens > 0) {
        tokens = std::min(tokens, options.maxTokens);
    }
    const std::int64_t context = options.context;
    const std::int64_t chunks = tokens / context;
    if (chunks == 0) {
        throw Error("the text has only " + std::to_string(tokens) + " tokens, fewer than one chunk",
                    "perplexity", "give a longer text or a smaller --context");
    }
    const std::int64_t firstScored = options.score == ScoredTokens::All ? 1 : context / 2 + 1;
    const std::int64_t together = products != nullptr ? kDeviceBatchTokens : kBatchTokens;
    const std::int64_t batch = std::max<std::int64_t>(1, together / context);
    const std::int64_t scoredPerChunk = context - firstScored;

    using Clock = std::chrono::steady_clock;
    const Clock::time_point start = Clock::now();
    ForwardPass pass(model, pool, products);
    PerplexityResult result;
    for (std::int64_t chunk = 0; chunk < chunks; chunk += batch) {
        if (stop.stop_requested()) {
            return std::nullopt;
        }
        const std::int64_t count = std::min(batch, chunks - chunk);
        const auto batchIds = ids.subspan(static_cast<std::size_t>(chunk * context),
                                          static_cast<std::size_t>(count * context));
        const Eigen::MatrixXf hidden = pass.hiddenStates(batchIds, context);
        // Column t predicts token t + 1.
        Eigen::MatrixXf scored(hidden.rows(), count * scoredPerChunk);
        std::vector<std::int32_t> targets;
        for (std::int64_t c = 0; c < count; ++c) {
            scored.middleCols(c * scoredPerChunk, scoredPerChunk) =
                hidden.middleCols(c * context + firstScored - 1, scoredPerChunk);
            const auto begin = batchIds.begin() + c * context + firstScored;
            targets.insert(targets.end(), begin, begin + scoredPerChunk);
        }
        for (const double value : pass.logProbabilities(scored, targets)) {
            result.nllSum -= value;
        }
        if (!std::isfinite(result.nllSum)) {
            throw Error(
                "a log-likelihood is not finite in the chunks from " + std::to_string(chunk),
                model.sourcePath().string(), "the weights hold NaN or infinity");
        }
        result.tokensScored += count * scoredPerChunk;
        result.tokensRead += count * context;
        result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
        if (progress) {
            const std::int64_t total = chunks * context;
            const double rate = static_cast<double>(result.tokensRead) / result.seconds;
            progress({"perplexity", result.tokensRead, total, result.seconds,
                      static_cast<double>(total - result.tokensRead) / rate});
        }
    }
    result.perplexity = std::exp(result.nllSum / static_cast<double>(result.tokensScored));
    result.tokensPerSecond = static_cast<double>(result.tokensRead) / result.seconds;
    return result;
}

std::optional<PerplexityResult> evaluatePerplexity(
    const Model& model, ThreadPool& pool, const std::string& text, const PerplexityOptions& options,
    const ProgressCallback& progress, const std::stop_token& stop, DeviceProducts* products) {
    const std::vector<std::int32_t> ids = model.tokenizer().encode(text);
    return evaluatePerplexity(model, pool, std::span<const std::int32_t>(ids), options, progress,
                              stop, products);
}

}  // namespace cospadi
