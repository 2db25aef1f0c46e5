// The pre-tokenizer patterns of GPT-2 (SmolLM too), Llama 3 and Qwen2, as scanners written by hand:
// the same pieces as the regular expression, several times faster and linear in time.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cospadi {

extern const char* const kGpt2Pattern;
extern const char* const kLlama3Pattern;
extern const char* const kQwen2Pattern;

// The end of the piece that begins at text[at]; text is valid UTF-8. Every character belongs to a
// piece.
using Scanner = std::size_t (*)(std::string_view text, std::size_t at);

// Null when the pattern is none of the above.
Scanner scannerFor(const std::string& regex);

}  // namespace cospadi
