#include "core/serving/chat_api.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/error.h"
#include "core/exports/model_side_files.h"
#include "core/serving/request_fields.h"

namespace cospadi {

namespace {

using nlohmann::json;

constexpr std::array kRoles = {"system", "user", "assistant"};
constexpr std::size_t kMostMessages = 4096;

// Fields that would change the answer; what they ask for when they change nothing.
void requireChatOffered(const json& body) {
    requireOffered(body);
    for (const char* name : {"logprobs", "continue_final_message"}) {
        if (booleanField(body, name)) {
            refuseField("is not supported", name);
        }
    }
    for (const char* name : {"tools", "functions", "modalities", "audio"}) {
        if (const json* value = fieldOf(body, name); value != nullptr && !value->empty()) {
            refuseField("is not supported", name);
        }
    }
    if (const json* format = fieldOf(body, "response_format");
        format != nullptr && !(format->is_object() && format->value("type", json()) == "text")) {
        refuseField("only text is supported", "response_format");
    }
    if (const json* add = fieldOf(body, "add_generation_prompt");
        add != nullptr && *add != json(true)) {
        refuseField("only true is supported", "add_generation_prompt");
    }
}

// A string, or a list of parts that are text, which become lines.
std::string contentOf(const json& message, const std::string& where) {
    const auto content = message.find("content");
    if (content != message.end() && content->is_string()) {
        return content->get<std::string>();
    }
    if (content == message.end() || !content->is_array() || content->empty()) {
        refuseField("must be a string or a list of parts of text", where);
    }
    std::string text;
    for (const json& part : *content) {
        const json& words = part.is_object() && part.value("type", json()) == "text"
                                ? part.value("text", json())
                                : json();
        if (!words.is_string()) {
            refuseField("only parts of type text are supported, each with its text", where);
        }
        text += (&part == &content->front() ? "" : "\n") + words.get<std::string>();
    }
    return text;
}

std::vector<ChatMessage> readMessages(const json& body) {
    const json* list = fieldOf(body, "messages");
    if (list == nullptr) {
        refuseField("is missing", "messages");
    }
    if (!list->is_array() || list->empty() || list->size() > kMostMessages) {
        refuseField(fmt::format("must be a list of 1 to {} messages", kMostMessages), "messages");
    }
    std::vector<ChatMessage> messages;
    for (const json& message : *list) {
        const std::string where = fmt::format("messages[{}]", messages.size());
        if (!message.is_object()) {
            refuseField("must be an object with role and content", where);
        }
        const json role = message.value("role", json());
        if (std::none_of(kRoles.begin(), kRoles.end(),
                         [&](const char* known) { return role == known; })) {
            refuseField(fmt::format("must be one of {}", fmt::join(kRoles, ", ")), where + ".role");
        }
        if (const json* calls = fieldOf(message, "tool_calls");
            calls != nullptr && !calls->empty()) {
            refuseField("is not supported", where + ".tool_calls");
        }
        messages.push_back({role.get<std::string>(), contentOf(message, where + ".content")});
    }
    return messages;
}

ChatSettings readSettings(const json& body) {
    ChatSettings settings;
    const json* given = fieldOf(body, "chat_template_kwargs");
    if (given == nullptr) {
        return settings;
    }
    if (!given->is_object()) {
        refuseField("must be an object", "chat_template_kwargs");
    }
    for (const auto& [name, value] : given->items()) {
        if (name == "enable_thinking" && value.is_boolean()) {
            settings.enableThinking = value.get<bool>();
        } else if (name == "date_string" && value.is_string()) {
            settings.dateString = value.get<std::string>();
        } else {
            refuseField(
                "may only contain enable_thinking (true or false) and date_string (a string)",
                "chat_template_kwargs");
        }
    }
    return settings;
}

// Both names are OpenAI's. As far as context and memory go where neither stands.
std::optional<std::int64_t> readMostTokens(const json& body) {
    const auto older = integerField(body, "max_tokens", 0, kMostTokens);
    const auto newer = integerField(body, "max_completion_tokens", 0, kMostTokens);
    if (older && newer && *older != *newer) {
        refuseField("differs from max_tokens", "max_completion_tokens");
    }
    return newer ? newer : older;
}

}  // namespace

ChatTemplate chatTemplateOf(const json& tokenizerConfig, const std::string& named) {
    const auto token = [&](const char* name) {
        const json value = specialToken(tokenizerConfig, name);
        return value.is_string() ? value.get<std::string>() : std::string();
    };
    ChatTemplate::Tokens tokens{token("bos_token"), token("eos_token")};
    if (!named.empty()) {
        return ChatTemplate::named(named, std::move(tokens));
    }
    const json text = chatTemplateText(tokenizerConfig);
    if (!text.is_string()) {
        throw Error("the model has no chat template", "chat template",
                    "it is not a chat model; otherwise choose a template with --chat-template");
    }
    return ChatTemplate::ofText(text.get<std::string>(), std::move(tokens));
}

CompletionCall readChatCall(const json& body, const Tokenizer& tokenizer, const ChatTemplate& chat,
                            const CallLimits& limits) {
    requireChatOffered(body);
    CompletionCall call = readCallFields(body);
    call.isChat = true;
    CompletionRequest request;
    const auto mostTokens = readMostTokens(body);
    request.maxTokens = mostTokens.value_or(kMostTokens);
    request.takesWhatFits = !mostTokens;
    request.continuesText = false;
    request.topTokens = 0;
    request.sampling = readSampling(body);
    request.stop = readStops(body);
    // The template has written the begin token, if the model wants one.
    request.prompt = tokenizer.encode(chat.render(readMessages(body), readSettings(body)), true);
    requirePromptLength(request.prompt.size(), limits.promptTokens, "messages");
    if (const auto end = tokenizer.encode(chat.endOfTurn(), true); end.size() == 1) {
        request.ends = end;
    } else if (!chat.endOfTurn().empty()) {
        request.stop.push_back(chat.endOfTurn());  // the model spells it out
    }
    call.echoes = {std::string()};
    call.requests = {std::move(request)};
    return call;
}

json chatChoiceJson(std::size_t index, const std::string& text,
                    const std::optional<FinishReason>& finish) {
    return {{"index", index},
            {"message", {{"role", "assistant"}, {"content", text}}},
            {"logprobs", nullptr},
            {"finish_reason", finishReasonJson(finish)}};
}

json chatChunkJson(std::size_t index, const json& delta,
                   const std::optional<FinishReason>& finish) {
    return {{"index", index},
            {"delta", delta},
            {"logprobs", nullptr},
            {"finish_reason", finishReasonJson(finish)}};
}

}  // namespace cospadi
