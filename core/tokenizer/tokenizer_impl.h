// Internal: what a Tokenizer is made of; filled by tokenizer_json.cpp and tokenizer_gguf.cpp.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/tokenizer/added_tokens.h"
#include "core/tokenizer/bpe.h"
#include "core/tokenizer/normalizer.h"
#include "core/tokenizer/pre_tokenizer.h"
#include "core/tokenizer/token_decoder.h"
#include "core/tokenizer/tokenizer.h"

namespace cospadi {

struct Tokenizer::Impl {
    Impl(Bpe model, TextNormalizer textNormalizer, PreTokenizer splitter, TokenDecoder toText)
        : bpe(std::move(model)),
          normalizer(std::move(textNormalizer)),
          preTokenizer(std::move(splitter)),
          decoder(std::move(toText)) {}

    Bpe bpe;
    TextNormalizer normalizer;
    PreTokenizer preTokenizer;
    TokenDecoder decoder;
    AddedTokenMatcher addedPlain;                    // searched in the text as it comes
    AddedTokenMatcher addedNormalized;               // searched in the normalised text
    std::map<std::int32_t, std::string> addedTexts;  // by id; they hide those of the vocabulary
    std::set<std::int32_t> special;
    std::vector<std::int32_t> prefix, suffix;  // added by addSpecial
    std::int32_t bosId = -1;
    std::int32_t eosId = -1;
    std::function<std::string()> makeJson;

    // All before finish(). Refuses tokens without content, too long, or whose id another has.
    void addAdded(const AddedToken& token, const std::string& where);
    void finish();

    std::int64_t vocabularySize() const;
    // The id must be in range, else Error.
    std::string_view textOf(std::int32_t id) const;
    bool exists(std::int32_t id) const;
    std::int32_t idOf(std::string_view text) const;
};

// Adds a token or throws an Error that says what is wrong with it.
void addToVocabulary(Vocabulary& vocabulary, std::string_view text, std::int32_t id,
                     const std::string& where);

}  // namespace cospadi
