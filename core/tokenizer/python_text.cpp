#include "core/tokenizer/python_text.h"

#include <algorithm>

#include "core/tokenizer/characters.h"
#include "core/tokenizer/utf8.h"

namespace cospadi {

namespace {

// Python counts the four separators of ASCII, too.
bool isPythonSpace(char32_t c) { return isWhiteSpace(c) || (c >= 0x1C && c <= 0x1F); }

}  // namespace

std::string stripped(std::string_view text, std::string_view characters, Strip where) {
    if (where != Strip::Right) {
        text.remove_prefix(std::min(text.find_first_not_of(characters), text.size()));
    }
    if (where != Strip::Left) {
        text = text.substr(0, text.find_last_not_of(characters) + 1);
    }
    return std::string(text);
}

std::string stripped(std::string_view text) {
    while (!text.empty()) {
        const Character first = characterAt(text, 0);
        if (!isPythonSpace(first.codepoint)) {
            break;
        }
        text.remove_prefix(first.length);
    }
    while (!text.empty()) {
        const Character last = characterBefore(text, text.size());
        if (!isPythonSpace(last.codepoint)) {
            break;
        }
        text.remove_suffix(last.length);
    }
    return std::string(text);
}

std::string beforeFirst(std::string_view text, std::string_view separator) {
    return std::string(text.substr(0, text.find(separator)));
}

std::string afterLast(std::string_view text, std::string_view separator) {
    const std::size_t at = text.rfind(separator);
    return std::string(at == std::string_view::npos ? text : text.substr(at + separator.size()));
}

}  // namespace cospadi
