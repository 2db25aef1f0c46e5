// UTF-8 as the tokenizers of Hugging Face treat it (Rust's from_utf8_lossy), and the alphabet in
// which byte-level BPE writes bytes as printable characters (GPT-2).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace cospadi {

// U+FFFD, which stands for what is no UTF-8.
inline constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";

// Every maximal invalid part becomes U+FFFD.
std::string toValidUtf8(std::string_view bytes);

// Byte -> its character in the byte-level alphabet, as UTF-8.
std::string byteLevelCharacter(unsigned char byte);

// The bytes that a byte-level string stands for; nullopt when a character is not in the alphabet.
std::optional<std::string> byteLevelDecode(std::string_view text);

bool isValidUtf8(std::string_view bytes);

// Length of the longest prefix that does not end inside a character that more bytes could complete.
std::size_t wholeCharacters(std::string_view bytes);

// One character of valid UTF-8.
struct Character {
    char32_t codepoint = 0;
    std::size_t length = 0;  // in bytes
};

// The character that begins at text[at]; text must be valid UTF-8 and longer than at.
Character characterAt(std::string_view text, std::size_t at);

// The character that ends before text[end]; end > 0.
Character characterBefore(std::string_view text, std::size_t end);

std::string encodeUtf8(char32_t codepoint);

}  // namespace cospadi
