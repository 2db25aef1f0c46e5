#include <algorithm>
#include <string_view>

#include "core/tokenizer/chat_formats.h"

namespace cospadi {

namespace {

bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// From the quote at `at` past the one that closes it. A newline within is the same as its escape.
std::size_t copyLiteral(std::string_view text, std::size_t at, std::string& out) {
    const char quote = text[at];
    out += text[at++];
    while (at < text.size()) {
        const char c = text[at++];
        if (c == '\n') {
            out += "\\n";
        } else {
            out += c;
        }
        if (c == '\\' && at < text.size()) {
            out += text[at++];
        } else if (c == quote) {
            break;
        }
    }
    return at;
}

// A tag from its brace at `at` past its end, `close` being '}' of an expression, '%' of a
// statement.
std::size_t copyTag(std::string_view text, std::size_t at, char close, std::string& out) {
    out += text.substr(at, 2);
    at += 2;
    bool hasBlank = false;
    while (at < text.size()) {
        const char c = text[at];
        if (c == close && at + 1 < text.size() && text[at + 1] == '}') {
            out += text.substr(at, 2);
            return at + 2;
        }
        if (isBlank(c)) {
            hasBlank = true;
            ++at;
            continue;
        }
        const auto isEdge = [&](std::size_t place) {
            return place + 2 < text.size() && text[place] == '-' && text[place + 1] == close &&
                   text[place + 2] == '}';
        };
        const bool begins = out.ends_with("{%") || out.ends_with("{{") || out.ends_with("{%-") ||
                            out.ends_with("{{-");
        if (hasBlank && !begins && !isEdge(at)) {
            out += ' ';
        }
        hasBlank = false;
        if (c == '\'' || c == '"') {
            at = copyLiteral(text, at, out);
        } else {
            out += c;
            ++at;
        }
    }
    return at;
}

// A comment: only whether it swallows the white space around it.
std::size_t copyComment(std::string_view text, std::size_t at, std::string& out) {
    const std::size_t end = std::min(text.find("#}", at + 2), text.size());
    out += at + 2 < end && text[at + 2] == '-' ? "{#-" : "{#";
    out += end > at + 2 && text[end - 1] == '-' ? "-#}" : "#}";
    return std::min(end + 2, text.size());
}

// Jinja drops a newline at the end, and transformers has it drop one after a statement, too.
std::string_view withoutEnd(std::string_view text) {
    for (const std::string_view end : {"\n", "%}\n"}) {
        if (text.ends_with(end)) {
            text.remove_suffix(1);
        }
    }
    return text;
}

// '<|im_start|>system\nWORDS<|im_end|>\n', whose WORDS differ from model to model.
std::optional<std::string> takeOutSystem(std::string& text) {
    constexpr std::string_view kBegin = "<|im_start|>system\\n";
    constexpr std::string_view kEnd = "<|im_end|>\\n'";
    for (std::size_t at = text.find(kBegin); at != std::string::npos;
         at = text.find(kBegin, at + 1)) {
        const std::size_t begin = at + kBegin.size();
        const std::size_t end = text.find(kEnd, begin);
        if (end == std::string::npos) {
            return std::nullopt;
        }
        const std::string words = text.substr(begin, end - begin);
        if (words.find_first_of("'\\") == std::string::npos) {
            text.erase(begin, end - begin);
            return words;
        }
    }
    return std::nullopt;
}

}  // namespace

TemplateIdentity templateIdentity(const std::string& whole) {
    const std::string_view text = withoutEnd(whole);
    TemplateIdentity identity;
    std::string& out = identity.text;
    for (std::size_t at = 0; at < text.size();) {
        const std::string_view tag = text.substr(at, 2);
        if (tag == "{{") {
            at = copyTag(text, at, '}', out);
        } else if (tag == "{%") {
            at = copyTag(text, at, '%', out);
        } else if (tag == "{#") {
            at = copyComment(text, at, out);
        } else {
            out += text[at++];
        }
    }
    identity.system = takeOutSystem(out);
    return identity;
}

}  // namespace cospadi
