// Text to token ids and back: byte-level BPE and SentencePiece-style BPE with byte fallback,
// exactly as the Python package `tokenizers` does it.
//
// Made from a tokenizer.json, or from GGUF metadata: model gpt2 (pre-tokenizers smollm, llama-bpe,
// qwen2) and model llama (scores; merged in SentencePiece's order). Truncation and padding that a
// tokenizer.json asks for are left to the caller. Input is UTF-8; invalid sequences count as
// U+FFFD. Immutable, so thread-safe. decode_stream.h decodes token by token.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cospadi {

class GgufFile;

class Tokenizer {
  public:
    static Tokenizer fromGguf(const GgufFile& file);
    static Tokenizer fromJson(const std::filesystem::path& tokenizerJson);

    Tokenizer(Tokenizer&&) noexcept;
    Tokenizer& operator=(Tokenizer&&) noexcept;
    ~Tokenizer();

    // parseSpecial: strings such as <|im_start|> become their one id; otherwise they are plain text
    // (added tokens that are not special are recognised in both cases).
    // addSpecial: what the model expects around a text (e.g. Llama 3's begin token) is added.
    std::vector<std::int32_t> encode(std::string_view text, bool parseSpecial = false,
                                     bool addSpecial = false) const;

    // UTF-8; bytes that do not form characters become U+FFFD. Ids out of range are an Error.
    std::string decode(std::span<const std::int32_t> ids, bool skipSpecial = false) const;
    // The bytes that one token stands for inside a text; a character may be split between tokens.
    std::string tokenText(std::int32_t id) const;

    // Number of ids: the largest id plus one.
    std::int64_t vocabularySize() const;
    std::int32_t eosId() const;  // -1 where there is none
    bool isSpecial(std::int32_t id) const;

    // A tokenizer.json that `tokenizers` and fromJson() read to the same effect.
    std::string toTokenizerJson() const;

  private:
    friend class DecodeStream;
    struct Impl;
    explicit Tokenizer(std::unique_ptr<Impl> impl);

    std::unique_ptr<Impl> m_impl;
};

}  // namespace cospadi
