// From the events of a completion call to its answer: one JSON object, or server-sent events.
#pragma once

#include <cstdint>
#include <string>

#include "core/serving/completion_api.h"
#include "core/serving/completion_inbox.h"
#include "core/serving/http_server.h"

namespace cospadi {

class CompletionAnswer {
  public:
    // Looks at the call's requests only here: they may go to the scheduler then.
    CompletionAnswer(const CompletionCall& call, const Tokenizer& tokenizer, std::string id,
                     std::int64_t created);

    // Waits for the events and answers. Returns false where the client left before the end: then
    // the completions had better be cancelled.
    bool whole(CompletionInbox& inbox, HttpExchange& exchange);
    bool streamed(CompletionInbox& inbox, HttpExchange& exchange);

  private:
    struct Choice {
        std::string text;
        std::vector<TokenScore> prompt, generated;
        std::optional<FinishReason> finish;
    };
    bool next(CompletionInbox& inbox, HttpExchange& exchange, CompletionEvent& event);
    void count(const CompletionEvent& event);
    // kind: of a chat "chat.completion" or "chat.completion.chunk".
    nlohmann::json object(nlohmann::json choices, const char* kind) const;
    nlohmann::json usage() const;

    const CompletionCall& m_call;
    const Tokenizer& m_tokenizer;
    std::string m_id;
    std::int64_t m_created;
    std::size_t m_unfinished;
    std::chrono::steady_clock::time_point m_nextLook;
    std::int64_t m_promptTokens = 0;
    std::int64_t m_generatedTokens = 0;
    std::int64_t m_cachedTokens = 0;
};

}  // namespace cospadi
