// OpenAI's text completions as JSON: the body of a request to CompletionRequests, and results to
// the objects that clients such as lm-eval read (docs/serving.md). Pure functions of their input.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/serving/completion.h"
#include "core/tokenizer/tokenizer.h"

namespace cospadi {

struct CompletionCall {
    std::string model;                        // as the client named it
    std::vector<CompletionRequest> requests;  // one a prompt
    std::vector<std::string> echoes;          // what stands before each text; empty without echo
    bool echo = false;
    bool logprobs = false;
    bool stream = false;
    bool streamUsage = false;
    bool isChat = false;  // answered with messages (chat_api.h)
};

struct CallLimits {
    std::size_t prompts = 512;        // in one request
    std::int64_t promptTokens = 0;    // the model's context length
    std::int64_t vocabularySize = 0;  // of the model: ids that may be given
};

// What a body takes at most while it is parsed, times its own bytes: a list of empty objects is a
// map and a value for every three bytes of it, and the list is copied where it grows.
inline constexpr std::size_t kParsedBytesPerByte = 50;

// The JSON of a body. Throws Error where it is none, too deeply nested, or no object.
nlohmann::json parseBody(std::string_view body);

// Throws Error whose where() is the field concerned: wrong types, values out of range, prompts that
// are too long, options that would change the result and are not offered here.
CompletionCall readCompletionCall(const nlohmann::json& body, const Tokenizer& tokenizer,
                                  const CallLimits& limits);

// Token ids of a JSON list. Throws Error naming `field`.
std::vector<std::int32_t> readTokenIds(const nlohmann::json& list, const std::string& field,
                                       std::int64_t vocabularySize);

// The text of ids, also where the model has more of them than the tokenizer.
std::string textOfIds(const Tokenizer& tokenizer, std::span<const std::int32_t> ids);

// A token as clients see it: its text, or "bytes:\xe2\x82" where that is part of a character only.
std::string nameOfToken(const Tokenizer& tokenizer, std::int32_t id);

// Builds one choice's "logprobs" from its scores, in order, over several events where it streams.
class LogprobsWriter {
  public:
    explicit LogprobsWriter(const Tokenizer& tokenizer) : m_tokenizer(tokenizer) {}
    // {"tokens", "token_logprobs", "top_logprobs", "text_offset"}. Offsets are in characters.
    // prompt: what stands before the text, where it is echoed; it comes once, first.
    nlohmann::json write(const std::vector<TokenScore>& prompt,
                         const std::vector<TokenScore>& generated);

  private:
    std::int64_t charactersOf(std::int32_t id, bool isEchoed);

    const Tokenizer& m_tokenizer;
    std::int64_t m_offset = 0;
    bool m_isFirst = true;
};

// "length", "stop", or null where it goes on.
nlohmann::json finishReasonJson(const std::optional<FinishReason>& finish);

nlohmann::json choiceJson(std::size_t index, const std::string& text, nlohmann::json logprobs,
                          const std::optional<FinishReason>& finish);

}  // namespace cospadi
