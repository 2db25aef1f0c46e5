// Internal: the chat templates that are known, each a plain function.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/tokenizer/chat_template.h"

namespace cospadi {

// What a format makes its text of.
struct Conversation {
    const std::vector<ChatMessage>& messages;
    const ChatSettings& settings;
    const ChatTemplate::Tokens& tokens;
    const std::optional<std::string>& system;  // the template's own, for conversations without
};

struct ChatFormat {
    const char* name;
    std::string (*render)(const Conversation&);
    const char* endOfTurn;            // "": the end of sequence
    std::vector<const char*> hashes;  // sha256 of what templateIdentity() makes of its texts
    bool hasThinking = false;         // ChatSettings that it reads
    bool hasDate = false;
};

const std::vector<ChatFormat>& chatFormats();

// Of a template's text all that decides what it renders, and nothing else: white space within tags,
// comments and newlines at the end are the same everywhere. The system message that ChatML says
// where a conversation has none is taken out.
struct TemplateIdentity {
    std::string text;
    std::optional<std::string> system;
};
TemplateIdentity templateIdentity(const std::string& text);

}  // namespace cospadi
