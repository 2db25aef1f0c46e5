// The "post_processor" of a tokenizer.json: the special tokens that a model expects around a text
// (TemplateProcessing, alone or in a Sequence; ByteLevel, which changes offsets only).
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace cospadi {

struct TokensAround {
    std::vector<std::int32_t> before, after;
};

// specification: the JSON object, or null for none. Kinds that are not supported are an Error that
// names them and `where`.
TokensAround readPostProcessor(const nlohmann::json& specification, const std::string& where);

}  // namespace cospadi
