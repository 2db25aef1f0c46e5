#include "core/tokenizer/chat_template.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/base/sha256.h"
#include "core/tokenizer/chat_formats.h"

namespace cospadi {

namespace {

constexpr const char* kOfSettings = "chat_template_kwargs";

}  // namespace

ChatTemplate::ChatTemplate(const ChatFormat& format, Tokens tokens,
                           std::optional<std::string> system)
    : m_format(&format), m_tokens(std::move(tokens)), m_system(std::move(system)) {}

ChatTemplate ChatTemplate::ofText(const std::string& text, Tokens tokens) {
    const TemplateIdentity identity = templateIdentity(text);
    const std::string hash = sha256OfString(identity.text);
    for (const ChatFormat& format : chatFormats()) {
        if (std::find(format.hashes.begin(), format.hashes.end(), hash) != format.hashes.end()) {
            return {format, std::move(tokens), identity.system};
        }
    }
    throw Error(fmt::format("the model's chat template ({}…) is not one of the known ones: {}",
                            hash.substr(0, 12), fmt::join(names(), ", ")),
                "chat template",
                "choose an equivalent one with --chat-template, or send a rendered prompt to "
                "/v1/completions");
}

ChatTemplate ChatTemplate::named(const std::string& name, Tokens tokens) {
    const auto& formats = chatFormats();
    const auto found = std::find_if(formats.begin(), formats.end(),
                                    [&](const ChatFormat& format) { return name == format.name; });
    if (found == formats.end()) {
        throw Error(fmt::format("there is no chat template {}", name), "--chat-template",
                    fmt::format("use {}", fmt::join(names(), ", ")));
    }
    return {*found, std::move(tokens), std::nullopt};
}

std::vector<std::string> ChatTemplate::names() {
    std::vector<std::string> names;
    for (const ChatFormat& format : chatFormats()) {
        names.emplace_back(format.name);
    }
    return names;
}

std::string ChatTemplate::name() const { return m_format->name; }
std::string ChatTemplate::endOfTurn() const { return m_format->endOfTurn; }

std::string ChatTemplate::render(const std::vector<ChatMessage>& messages,
                                 const ChatSettings& settings) const {
    if (settings.enableThinking && !m_format->hasThinking) {
        throw Error(fmt::format("the chat template {} has no enable_thinking", name()), kOfSettings,
                    "omit it");
    }
    if (!settings.dateString.empty() && !m_format->hasDate) {
        throw Error(fmt::format("the chat template {} has no date_string", name()), kOfSettings,
                    "omit it");
    }
    return m_format->render({messages, settings, m_tokens, m_system});
}

}  // namespace cospadi
