// Completions as plain values: what is asked of a model, and what comes back, piece by piece.
// Nothing here knows HTTP or JSON. Log probabilities are natural logarithms of the untempered
// distribution, whatever the sampling.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cospadi {

struct SamplingOptions {
    double temperature = 0;  // 0: always the likeliest token
    double topP = 1;         // only the likeliest tokens that together have this probability
    std::uint64_t seed = 0;
};

struct CompletionRequest {
    std::vector<std::int32_t> prompt;  // at least one id
    std::int64_t maxTokens = 16;       // 0: only the prompt is looked at
    bool scorePrompt = false;          // log probabilities of the prompt's tokens too
    bool continuesText = true;         // else its text begins anew, as a chat's answer does
    bool takesWhatFits = false;        // maxTokens: or as many as fit into memory
    int topTokens = 1;                 // how many of the likeliest tokens stand beside each score
    SamplingOptions sampling;
    std::vector<std::string> stop;   // generation ends before the first of these
    std::vector<std::int32_t> ends;  // tokens that end a text, beside the model's own
};

// One token and how likely it was after those before it.
struct TokenScore {
    std::int32_t id = 0;
    double logProbability = std::numeric_limits<double>::quiet_NaN();  // NaN: first of a prompt
    // The likeliest tokens, likeliest first. Where the token itself is the likeliest, its value
    // here is logProbability to the last bit.
    std::vector<std::pair<std::int32_t, double>> top;
};

enum class FinishReason { Length, Stop, Cancelled, Failed };

// What has become known of one completion since the last event.
struct CompletionEvent {
    std::size_t index = 0;               // of the request, where several were handed in together
    std::vector<TokenScore> prompt;      // once, before anything generated, where it was asked for
    std::vector<TokenScore> generated;   // tokens, the one that ends a text included
    std::string text;                    // certain text: whole characters, nothing of a stop string
    std::optional<FinishReason> finish;  // set in the last event
    std::string failure;                 // why, with FinishReason::Failed
    std::int64_t cachedTokens = 0;       // last event: tokens of the prompt that were not computed
};

// Called on the scheduler's thread, never concurrently; must return soon and must not throw.
using CompletionListener = std::function<void(CompletionEvent)>;

}  // namespace cospadi
