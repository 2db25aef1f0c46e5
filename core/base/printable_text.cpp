#include "core/base/printable_text.h"

#include <fmt/format.h>

namespace cospadi {

namespace {

// Of one well-formed character of two or three bytes, which is where those to be escaped are.
unsigned codepointOf(std::string_view character) {
    unsigned value =
        static_cast<unsigned char>(character[0]) & (character.size() == 2 ? 0x1f : 0x0f);
    for (const char next : character.substr(1)) {
        value = value << 6U | (static_cast<unsigned char>(next) & 0x3fU);
    }
    return value;
}

bool isHarmful(unsigned codepoint) {
    return (codepoint >= 0x80 && codepoint < 0xa0) || codepoint == 0x200e || codepoint == 0x200f ||
           (codepoint >= 0x2028 && codepoint <= 0x202e) ||
           (codepoint >= 0x2066 && codepoint <= 0x2069);
}

std::string printable(std::string_view text, bool keepsLines) {
    std::string result;
    result.reserve(text.size());
    while (!text.empty()) {
        const std::size_t length = utf8CharacterLength(text);
        const auto first = static_cast<unsigned char>(text[0]);
        const bool isLayout = keepsLines && (first == '\n' || first == '\t' ||
                                             (first == '\r' && text.substr(1, 1) == "\n"));
        if (length == 0 || (!isLayout && (first < 0x20 || first == 0x7f))) {
            result += fmt::format("\\x{:02x}", first);
            text.remove_prefix(1);
            continue;
        }
        const std::string_view character = text.substr(0, length);
        const unsigned codepoint = length == 2 || length == 3 ? codepointOf(character) : 0;
        result +=
            isHarmful(codepoint) ? fmt::format("\\u{:04x}", codepoint) : std::string(character);
        text.remove_prefix(length);
    }
    return result;
}

}  // namespace

std::size_t utf8CharacterLength(std::string_view text) {
    const auto byte = [&](std::size_t i) -> unsigned {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
    };
    const auto follows = [&](std::size_t i) { return (byte(i) & 0xc0U) == 0x80U; };
    const unsigned first = byte(0);
    if (text.empty()) {
        return 0;
    }
    if (first < 0x80) {
        return 1;
    }
    if (first >= 0xc2 && first < 0xe0) {
        return follows(1) ? 2 : 0;
    }
    if (first >= 0xe0 && first < 0xf0) {
        const bool overlong = first == 0xe0 && byte(1) < 0xa0;
        const bool surrogate = first == 0xed && byte(1) >= 0xa0;
        return follows(1) && follows(2) && !overlong && !surrogate ? 3 : 0;
    }
    if (first >= 0xf0 && first < 0xf5) {
        const bool overlong = first == 0xf0 && byte(1) < 0x90;
        const bool beyond = first == 0xf4 && byte(1) >= 0x90;
        return follows(1) && follows(2) && follows(3) && !overlong && !beyond ? 4 : 0;
    }
    return 0;
}

std::string printableText(std::string_view text) { return printable(text, true); }

std::string printableLine(std::string_view text) { return printable(text, false); }

}  // namespace cospadi
