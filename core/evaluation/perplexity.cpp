#include "core/evaluation/perplexity.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/error.h"
#include "core/base/stopwatch.h"

namespace cospadi {

namespace {

// Tokens that pass a block at once: as fast as more, but for a device, which has to be kept busy.
constexpr std::int64_t kBatchTokens = 512;
constexpr std::int64_t kDeviceBatchTokens = 2048;

// Chunks that pass a block at once.
std::int64_t batchOf(std::int64_t context, bool onDevice) {
    return std::max<std::int64_t>(1, (onDevice ? kDeviceBatchTokens : kBatchTokens) / context);
}

// Multiplications for a token.
double blockWork(const Model& model) {
    double work = 0;
    for (const LayerInfo& layer : model.layers()) {
        work += static_cast<double>(layer.d1) * static_cast<double>(layer.d2);
    }
    return work / static_cast<double>(model.config().blocks);
}

double headWork(const Model& model) {
    return static_cast<double>(model.config().hiddenSize) *
           static_cast<double>(model.config().vocabularySize);
}

// The chunks of a text on their way through a model.
class ChunkedText {
  public:
    ChunkedText(const Model& model, ThreadPool& pool, std::span<const std::int32_t> ids,
                const PerplexityOptions& options, const ProgressCallback& progress,
                const std::stop_token& stop, DeviceProducts* products)
        : m_model(model),
          m_pass(model, pool, products),
          m_ids(ids),
          m_context(options.context),
          m_firstScored(options.score == ScoredTokens::All ? 1 : options.context / 2 + 1),
          m_chunks(static_cast<std::int64_t>(ids.size()) / options.context),
          m_batch(batchOf(options.context, products != nullptr)),
          m_together(chunksTogether(options)),
          m_progress(progress),
          m_stop(stop) {}

    // nullopt when cancelled.
    std::optional<PerplexityResult> evaluate() {
        PerplexityResult result;
        for (std::int64_t first = 0; first < m_chunks; first += m_together) {
            if (!evaluate(first, std::min(first + m_together, m_chunks), result)) {
                return std::nullopt;
            }
        }
        result.seconds = m_clock.seconds();
        result.perplexity = std::exp(result.nllSum / static_cast<double>(result.tokensScored));
        result.tokensPerSecond = static_cast<double>(result.tokensRead) / result.seconds;
        return result;
    }

  private:
    // A batch where the weights are in memory anyway.
    std::int64_t chunksTogether(const PerplexityOptions& options) const {
        const std::int64_t bytes = m_model.isDeferred() ? options.hiddenBytes : 0;
        const std::int64_t ofBatch = static_cast<std::int64_t>(sizeof(float)) *
                                     m_model.config().hiddenSize * m_context * m_batch;
        return m_batch * std::max<std::int64_t>(1, bytes / ofBatch);
    }

    // Of the chunks [first, end): block by block, then the head. False when cancelled.
    bool evaluate(std::int64_t first, std::int64_t end, PerplexityResult& result) {
        std::vector<Eigen::MatrixXf> batches;
        for (std::int64_t chunk = first; chunk < end; chunk += m_batch) {
            batches.push_back(m_pass.embed(idsOf(chunk, std::min(chunk + m_batch, end))));
        }
        m_pass.letGo();
        const double ofBlock = blockWork(m_model);  // whole numbers
        const double ofHead = headWork(m_model);
        const auto blocks = static_cast<double>(m_model.config().blocks);
        const double all = static_cast<double>(batches.size()) * (blocks * ofBlock + ofHead);
        double done = 0;
        const auto tellAfter = [&](double work) {
            done += work;
            tell(first, end, done / all);
        };
        const bool whole = m_pass.forEachBlock(
            batches.size(),
            [&](std::int64_t block, std::size_t batch) {
                m_pass.runBlock(block, batches[batch], m_context);
                tellAfter(ofBlock);
            },
            m_stop);
        if (!whole) {
            return false;
        }
        std::int64_t chunk = first;
        for (const Eigen::MatrixXf& residual : batches) {
            if (m_stop.stop_requested()) {
                return false;
            }
            score(chunk, std::min(chunk + m_batch, end), m_pass.finalNorm(residual), result);
            chunk += m_batch;
            tellAfter(ofHead);
        }
        m_pass.letGo();
        return true;
    }

    void score(std::int64_t first, std::int64_t end, const Eigen::MatrixXf& hidden,
               PerplexityResult& result) {
        std::vector<TokenQuery> queries;
        for (std::int64_t chunk = first; chunk < end; ++chunk) {
            const auto ids = idsOf(chunk, chunk + 1);
            for (std::int64_t t = m_firstScored; t < m_context; ++t) {
                // A column predicts the token behind it.
                queries.push_back(
                    {(chunk - first) * m_context + t - 1, ids[static_cast<std::size_t>(t)]});
            }
        }
        for (const TokenLikelihood& token : m_pass.likelihoods(hidden, queries)) {
            result.nllSum -= token.logProbability;
        }
        if (!std::isfinite(result.nllSum)) {
            throw Error(
                "a log-likelihood is not finite in the chunks from " + std::to_string(first),
                m_model.sourcePath().string(), "the weights hold NaN or infinity");
        }
        result.tokensScored += std::ssize(queries);
        result.tokensRead += (end - first) * m_context;
    }

    std::span<const std::int32_t> idsOf(std::int64_t chunk, std::int64_t end) const {
        return m_ids.subspan(static_cast<std::size_t>(chunk * m_context),
                             static_cast<std::size_t>((end - chunk) * m_context));
    }

    // share: of the work on the chunks [first, end). Once a batch of tokens, and at the end.
    void tell(std::int64_t first, std::int64_t end, double share) {
        const std::int64_t total = m_chunks * m_context;
        const double onTheirWay = share * static_cast<double>((end - first) * m_context);
        const std::int64_t done = first * m_context + static_cast<std::int64_t>(onTheirWay);
        if (!m_progress || (done < m_told + m_batch * m_context && done < total) ||
            done == m_told) {
            return;
        }
        m_told = done;
        const double seconds = m_clock.seconds();
        m_progress({"perplexity", done, total, seconds,
                    seconds * static_cast<double>(total - done) / static_cast<double>(done)});
    }

    const Model& m_model;
    ForwardPass m_pass;
    std::span<const std::int32_t> m_ids;
    std::int64_t m_context;
    std::int64_t m_firstScored;
    std::int64_t m_chunks;
    std::int64_t m_batch;     // chunks that pass a block at once
    std::int64_t m_together;  // and that go through the model together
    const ProgressCallback& m_progress;
    const std::stop_token& m_stop;
    Stopwatch m_clock;
    std::int64_t m_told = 0;
};

}  // namespace

void PerplexityOptions::validate() const {
    if (context < 4 || context > (1 << 20)) {
        throw Error("the context must be between 4 and 1048576 tokens", "--context",
                    "512 is typical");
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
    if (tokens < options.context) {
        throw Error("the text has only " + std::to_string(tokens) + " tokens, fewer than one chunk",
                    "perplexity", "give a longer text or a smaller --context");
    }
    return ChunkedText(model, pool, ids.first(static_cast<std::size_t>(tokens)), options, progress,
                       stop, products)
        .evaluate();
}

std::optional<PerplexityResult> evaluatePerplexity(
    const Model& model, ThreadPool& pool, const std::string& text, const PerplexityOptions& options,
    const ProgressCallback& progress, const std::stop_token& stop, DeviceProducts* products) {
    const std::vector<std::int32_t> ids = model.tokenizer().encode(text);
    return evaluatePerplexity(model, pool, std::span<const std::int32_t>(ids), options, progress,
                              stop, products);
}

}  // namespace cospadi
