// UTF-8 as the tokenizers of Hugging Face treat it (Rust's from_utf8_lossy), and the alphabet in
// which byte-level BPE writes bytes as printable characters (GPT-2).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cospadi {

// Every maximal invalid part becomes U+FFFD.
std::string toValidUtf8(std::string_view bytes);

// Unicode normalisation form C of valid UTF-8.
std::string normalizeNfc(std::string_view text);

// Byte -> its character in the byte-level alphabet, as UTF-8.
std::string byteLevelCharacter(unsigned char byte);

// The bytes that a byte-level string stands for; nullopt when a character is not in the alphabet.
std::optional<std::string> byteLevelDecode(std::string_view text);

// Length in bytes of the character that begins at text[0], valid UTF-8.
std::size_t characterLength(std::string_view text);

}  // namespace cospadi
