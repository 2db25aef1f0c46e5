#include "core/tokenizer/utf8.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>

namespace cospadi {

namespace {

unsigned char at(std::string_view text, std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
}

// Length of the valid character at i, or minus the length of the maximal invalid part.
int examine(std::string_view text, std::size_t i) {
    const unsigned char first = at(text, i);
    if (first < 0x80) {
        return 1;
    }
    int length = 0;
    unsigned char low = 0x80;
    unsigned char high = 0xBF;
    if (first >= 0xC2 && first <= 0xDF) {
        length = 2;
    } else if (first >= 0xE0 && first <= 0xEF) {
        length = 3;
        low = first == 0xE0 ? 0xA0 : low;
        high = first == 0xED ? 0x9F : high;
    } else if (first >= 0xF0 && first <= 0xF4) {
        length = 4;
        low = first == 0xF0 ? 0x90 : low;
        high = first == 0xF4 ? 0x8F : high;
    } else {
        return -1;
    }
    for (int k = 1; k < length; ++k) {
        const unsigned char next = at(text, i + static_cast<std::size_t>(k));
        if (next < low || next > high) {
            return -k;
        }
        low = 0x80;
        high = 0xBF;
    }
    return length;
}

// GPT-2's table: printable Latin-1 stands for itself, the rest is moved to U+0100 and on.
std::array<std::int32_t, 256> makeAlphabet() {
    std::array<std::int32_t, 256> table{};
    std::int32_t next = 256;
    for (std::int32_t byte = 0; byte < 256; ++byte) {
        const bool printable = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) ||
                               (byte >= 174 && byte <= 255);
        table[static_cast<std::size_t>(byte)] = printable ? byte : next++;
    }
    return table;
}

const std::array<std::int32_t, 256> kAlphabet = makeAlphabet();

const std::array<std::int16_t, 512> kBytes = [] {
    std::array<std::int16_t, 512> table{};
    table.fill(-1);
    for (std::size_t byte = 0; byte < 256; ++byte) {
        table[static_cast<std::size_t>(kAlphabet[byte])] = static_cast<std::int16_t>(byte);
    }
    return table;
}();

}  // namespace

std::string toValidUtf8(std::string_view bytes) {
    std::string result;
    result.reserve(bytes.size());
    for (std::size_t i = 0; i < bytes.size();) {
        const int length = examine(bytes, i);
        if (length > 0) {
            result.append(bytes.substr(i, static_cast<std::size_t>(length)));
        } else {
            result.append(kReplacementCharacter);
        }
        i += static_cast<std::size_t>(std::abs(length));
    }
    return result;
}

bool isValidUtf8(std::string_view bytes) {
    for (std::size_t i = 0; i < bytes.size();) {
        const int length = examine(bytes, i);
        if (length < 0) {
            return false;
        }
        i += static_cast<std::size_t>(length);
    }
    return true;
}

std::size_t wholeCharacters(std::string_view bytes) {
    const std::size_t tail = std::min<std::size_t>(bytes.size(), 3);
    for (std::size_t i = bytes.size() - tail; i < bytes.size(); ++i) {
        // A lead byte whose valid part reaches the end of the text, but not its full length.
        const unsigned char first = at(bytes, i);
        const int wanted = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
        const std::size_t rest = bytes.size() - i;
        if (first >= 0xC2 && first <= 0xF4 && rest < static_cast<std::size_t>(wanted) &&
            examine(bytes, i) == -static_cast<int>(rest)) {
            return i;
        }
    }
    return bytes.size();
}

Character characterAt(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t k) {
        return static_cast<char32_t>(static_cast<unsigned char>(text[at + k]));
    };
    const char32_t first = byte(0);
    if (first < 0x80) {
        return {first, 1};
    }
    if (first < 0xE0) {
        return {(first & 0x1F) << 6 | (byte(1) & 0x3F), 2};
    }
    if (first < 0xF0) {
        return {(first & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F), 3};
    }
    return {
        (first & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F),
        4};
}

Character characterBefore(std::string_view text, std::size_t end) {
    std::size_t i = end - 1;
    while (i > 0 && (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80) {
        --i;
    }
    return characterAt(text, i);
}

std::string encodeUtf8(char32_t codepoint) {
    std::array<utf8proc_uint8_t, 4> bytes{};
    const auto length =
        utf8proc_encode_char(static_cast<utf8proc_int32_t>(codepoint), bytes.data());
    return {reinterpret_cast<const char*>(bytes.data()), static_cast<std::size_t>(length)};
}

std::string byteLevelCharacter(unsigned char byte) {
    return encodeUtf8(static_cast<char32_t>(kAlphabet[byte]));
}

std::optional<std::string> byteLevelDecode(std::string_view text) {
    std::string bytes;
    for (std::size_t i = 0; i < text.size();) {
        utf8proc_int32_t codepoint = -1;
        const auto length =
            utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data() + i),
                             static_cast<utf8proc_ssize_t>(text.size() - i), &codepoint);
        if (length <= 0 || codepoint >= static_cast<std::int32_t>(kBytes.size()) ||
            kBytes[static_cast<std::size_t>(codepoint)] < 0) {
            return std::nullopt;
        }
        bytes += static_cast<char>(kBytes[static_cast<std::size_t>(codepoint)]);
        i += static_cast<std::size_t>(length);
    }
    return bytes;
}

}  // namespace cospadi
