// Perplexity: exp of the mean negative log-likelihood of a text's tokens.
//
// The text is tokenised as plain text, without a begin token, and cut into chunks of `context`
// tokens; each chunk is run alone from position 0; a shorter remainder is dropped. Scored are the
// predictions of in-chunk positions 1 … context−1 (All), or context/2+1 … context−1 (SecondHalf,
// llama.cpp's convention: every scored token has seen at least half a context). Sums in double.
//
// Through a deferred model many chunks go together, block by block: one block is in memory at a
// time, and each is read from its file once for all of them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>

#include "core/base/progress.h"
#include "core/base/thread_pool.h"
#include "core/model/forward.h"
#include "core/model/model.h"

namespace cospadi {

class DeviceProducts;

enum class ScoredTokens { All, SecondHalf };

struct PerplexityOptions {
    std::int64_t context = 512;
    std::int64_t maxTokens = 0;  // only the first maxTokens ids of the text; 0 means all
    ScoredTokens score = ScoredTokens::All;
    // Of the hidden states of chunks that go through a deferred model together.
    std::int64_t hiddenBytes = kHiddenBytes;

    // Throws cospadi::Error naming the option that is out of range.
    void validate() const;
};

struct PerplexityResult {
    double perplexity = 0;
    double nllSum = 0;  // nats
    std::int64_t tokensScored = 0;
    std::int64_t tokensRead = 0;  // run through the model: chunks × context
    double seconds = 0;
    double tokensPerSecond = 0;  // tokensRead / seconds
};

// nullopt when cancelled (polled between batches). Progress counts tokens, stage "perplexity";
// those that are on their way count by the work that is done. Error where the text has fewer tokens
// than one chunk, or a log-likelihood is not finite. products: where the linear layers are computed
// instead of on the host; the head never is.
std::optional<PerplexityResult> evaluatePerplexity(const Model& model, ThreadPool& pool,
                                                   std::span<const std::int32_t> ids,
                                                   const PerplexityOptions& options,
                                                   const ProgressCallback& progress = {},
                                                   const std::stop_token& stop = {},
                                                   DeviceProducts* products = nullptr);

// The same from text.
std::optional<PerplexityResult> evaluatePerplexity(const Model& model, ThreadPool& pool,
                                                   const std::string& text,
                                                   const PerplexityOptions& options,
                                                   const ProgressCallback& progress = {},
                                                   const std::stop_token& stop = {},
                                                   DeviceProducts* products = nullptr);

}  // namespace cospadi
