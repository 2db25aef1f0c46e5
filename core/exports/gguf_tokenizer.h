// The tokenizer of a Hugging Face folder as GGUF metadata (tokenizer.ggml.*): byte-level BPE whose
// pre-tokenizer has a name in llama.cpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <utility>

#include "core/tensors/gguf_writer.h"

namespace cospadi {

// Of tokenizer_config.json, and the key that holds its id in a GGUF file.
inline constexpr std::pair<const char*, const char*> kSpecialTokens[] = {
    {"bos_token", "tokenizer.ggml.bos_token_id"},
    {"eos_token", "tokenizer.ggml.eos_token_id"},
    {"unk_token", "tokenizer.ggml.unknown_token_id"},
    {"pad_token", "tokenizer.ggml.padding_token_id"}};

// Reads tokenizer.json (and tokenizer_config.json, where it is) of `folder`. The vocabulary is
// filled up with unused tokens to vocabularySize, the rows of the embedding. Throws Error for a
// tokenizer that llama.cpp has no name for.
void addTokenizer(GgufMetadata& metadata, const std::filesystem::path& folder,
                  std::int64_t vocabularySize);

}  // namespace cospadi
