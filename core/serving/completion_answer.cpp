#include "core/serving/completion_answer.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/serving/chat_api.h"

namespace cospadi {

namespace {

using nlohmann::json;

// How often a waiting client is looked at. Events themselves wake at once.
constexpr std::chrono::milliseconds kLookAround{100};

constexpr const char* kChunk = "chat.completion.chunk";

HttpProblem problemOf(const CompletionEvent& event) {
    return event.finish == FinishReason::Cancelled
               ? HttpProblem{503, "the server is closing", {}, "closing"}
               : HttpProblem{500, event.failure, {}, {}};
}

bool isBad(const CompletionEvent& event) {
    return event.finish == FinishReason::Failed || event.finish == FinishReason::Cancelled;
}

}  // namespace

CompletionAnswer::CompletionAnswer(const CompletionCall& call, const Tokenizer& tokenizer,
                                   std::string id, std::int64_t created)
    : m_call(call),
      m_tokenizer(tokenizer),
      m_id(std::move(id)),
      m_created(created),
      m_unfinished(call.echoes.size()),
      m_nextLook(std::chrono::steady_clock::now() + kLookAround) {
    for (const CompletionRequest& request : call.requests) {
        m_promptTokens += static_cast<std::int64_t>(request.prompt.size());
    }
}

bool CompletionAnswer::next(CompletionInbox& inbox, HttpExchange& exchange,
                            CompletionEvent& event) {
    while (true) {
        const auto now = std::chrono::steady_clock::now();
        if (now >= m_nextLook) {
            m_nextLook = now + kLookAround;
            if (exchange.isClientGone()) {
                exchange.abandon();
                return false;
            }
        }
        if (auto arrived = inbox.take(kLookAround)) {
            event = std::move(*arrived);
            count(event);
            return true;
        }
    }
}

void CompletionAnswer::count(const CompletionEvent& event) {
    m_generatedTokens += static_cast<std::int64_t>(event.generated.size());
    if (event.finish) {
        --m_unfinished;
        m_cachedTokens += event.cachedTokens;
    }
}

json CompletionAnswer::usage() const {
    return {{"prompt_tokens", m_promptTokens},
            {"completion_tokens", m_generatedTokens},
            {"total_tokens", m_promptTokens + m_generatedTokens},
            {"prompt_tokens_details", {{"cached_tokens", m_cachedTokens}}}};
}

json CompletionAnswer::object(json choices, const char* kind) const {
    return {{"id", m_id},
            {"object", m_call.isChat ? kind : "text_completion"},
            {"created", m_created},
            {"model", m_call.model},
            {"choices", std::move(choices)}};
}

bool CompletionAnswer::whole(CompletionInbox& inbox, HttpExchange& exchange) {
    std::vector<Choice> choices(m_call.echoes.size());
    for (std::size_t i = 0; i < choices.size(); ++i) {
        choices[i].text = m_call.echoes[i];
    }
    while (m_unfinished > 0) {
        CompletionEvent event;
        if (!next(inbox, exchange, event)) {
            return false;
        }
        if (isBad(event)) {
            exchange.respond(problemOf(event));
            return false;
        }
        Choice& choice = choices[event.index];
        choice.text += event.text;
        std::ranges::move(event.prompt, std::back_inserter(choice.prompt));
        std::ranges::move(event.generated, std::back_inserter(choice.generated));
        choice.finish = event.finish;
    }
    json list = json::array();
    for (std::size_t i = 0; i < choices.size(); ++i) {
        LogprobsWriter logprobs(m_tokenizer);
        if (m_call.isChat) {
            list.push_back(chatChoiceJson(i, choices[i].text, choices[i].finish));
            continue;
        }
        const Choice& choice = choices[i];
        list.push_back(
            choiceJson(i, choice.text,
                       m_call.logprobs ? logprobs.write(choice.prompt, choice.generated) : json(),
                       choice.finish));
    }
    json answer = object(std::move(list), "chat.completion");
    answer["usage"] = usage();
    exchange.respond(200, dumped(answer));
    return true;
}

bool CompletionAnswer::streamed(CompletionInbox& inbox, HttpExchange& exchange) {
    std::vector<std::string> echoes = m_call.echoes;
    std::vector<LogprobsWriter> logprobs(echoes.size(), LogprobsWriter(m_tokenizer));
    // Who asks for the usage finds the field in every chunk, null but in the last.
    const auto send = [&](json choices, const json& total = nullptr) {
        json chunk = object(std::move(choices), kChunk);
        if (m_call.streamUsage) {
            chunk["usage"] = total;
        }
        return exchange.send("data: " + dumped(chunk) + "\n\n");
    };
    if (!exchange.begin("text/event-stream")) {
        return false;
    }
    if (m_call.isChat &&
        !send({chatChunkJson(0, {{"role", "assistant"}, {"content", ""}}, std::nullopt)})) {
        return false;
    }
    while (m_unfinished > 0) {
        CompletionEvent event;
        if (!next(inbox, exchange, event)) {
            return false;
        }
        if (isBad(event)) {
            exchange.send("data: " + problemOf(event).body() + "\n\n");
            exchange.end();
            return false;
        }
        const std::string text = std::exchange(echoes[event.index], {}) + event.text;
        if (text.empty() && !event.finish && !m_call.logprobs) {
            continue;  // half a character, or what may become a stop string
        }
        json part =
            m_call.logprobs ? logprobs[event.index].write(event.prompt, event.generated) : json();
        const json delta = text.empty() ? json::object() : json{{"content", text}};
        json choice = m_call.isChat ? chatChunkJson(event.index, delta, event.finish)
                                    : choiceJson(event.index, text, std::move(part), event.finish);
        if (!send({std::move(choice)})) {
            return false;
        }
    }
    if (m_call.streamUsage) {
        send(json::array(), usage());
    }
    return exchange.send("data: [DONE]\n\n") && exchange.end();
}

}  // namespace cospadi
