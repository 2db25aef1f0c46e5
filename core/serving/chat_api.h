// OpenAI's chat completions as JSON: a request's messages to the prompt that the model's chat
// template makes of them, and results to the objects that clients read (docs/serving.md).
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/serving/completion_api.h"
#include "core/tokenizer/chat_template.h"

namespace cospadi {

// The template that a tokenizer_config.json carries, its "default" where it has several, or the one
// that is named. Throws Error where the model has none, and for one that is not known here.
ChatTemplate chatTemplateOf(const nlohmann::json& tokenizerConfig, const std::string& named = {});

// Throws Error whose where() is the field concerned, for example messages[1].content.
CompletionCall readChatCall(const nlohmann::json& body, const Tokenizer& tokenizer,
                            const ChatTemplate& chat, const CallLimits& limits);

// An entry of "choices": a whole message, or what has come since the last chunk.
nlohmann::json chatChoiceJson(std::size_t index, const std::string& text,
                              const std::optional<FinishReason>& finish);
nlohmann::json chatChunkJson(std::size_t index, const nlohmann::json& delta,
                             const std::optional<FinishReason>& finish);

}  // namespace cospadi
