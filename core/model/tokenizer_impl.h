// Internal: what a Tokenizer is made of; filled by tokenizer_json.cpp and tokenizer_gguf.cpp.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/model/added_tokens.h"
#include "core/model/bpe.h"
#include "core/model/pre_tokenizer.h"
#include "core/model/tokenizer.h"

namespace cospadi {

struct Tokenizer::Impl {
    Bpe bpe;
    AddedTokenMatcher added;
    std::optional<PreTokenizer> preTokenizer;
    bool nfc = false;
    std::vector<std::optional<std::string>> tokenBytes;  // by id; nullopt for gaps
    std::vector<bool> special;                           // by id
    std::vector<std::int32_t> prefix, suffix;            // added by addSpecial
    std::int32_t bosId = -1;
    std::int32_t eosId = -1;
    std::function<std::string()> makeJson;

    // Registers the text of an id; byteLevel text that is not in the alphabet stands for itself.
    void setToken(std::int32_t id, const std::string& text, const std::string& where);
    void addAdded(const AddedToken& token, const std::string& where);
};

}  // namespace cospadi
