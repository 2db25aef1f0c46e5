// Classes of characters as the package `tokenizers` sees them, whatever Unicode version the
// system's libraries have: letters and numbers of Unicode 16 (Oniguruma), Rust's char and regex
// classes.
#pragma once

#include <cstdint>

namespace cospadi {

enum class CharacterClass : std::uint8_t { Other, Letter, Number, Space };

// What \p{L}, \p{N} and \s of a pre-tokenizer's pattern match.
CharacterClass characterClass(char32_t codepoint);

// Of a table of characters; both ends belong to it.
struct CharacterRange {
    char32_t first, last;
};

// Unicode's White_Space.
bool isWhiteSpace(char32_t codepoint);
// What the pre-tokenizer Digits splits on: Rust's char::is_numeric.
bool isNumeric(char32_t codepoint);
// \w of Rust's regex: what a "single word" added token must not touch.
bool isWordCharacter(char32_t codepoint);

}  // namespace cospadi
