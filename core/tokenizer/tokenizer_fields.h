// Reading of a tokenizer.json's fields: absent and null are alike, a wrong type is an Error that
// names the file and the field.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace cospadi {

// What to do about a tokenizer that cannot be read.
inline constexpr const char* kCorrectTokenizer =
    "fetch the model's tokenizer again, or correct the file";

}  // namespace cospadi

namespace cospadi::fields {

using Json = nlohmann::json;

// Null where absent.
const Json& member(const Json& json, const char* key);
// The same, never null.
const Json& required(const Json& json, const char* key, const std::string& where);

bool flag(const Json& json, const char* key, bool fallback, const std::string& where);
std::string text(const Json& json, const char* key, const std::string& where);
// The field "type"; empty where absent or no string.
std::string typeOf(const Json& json);
// An array; empty where absent.
const Json& list(const Json& json, const char* key, const std::string& where);
// A token id or a count: an integer from 0 to 2^31-1.
std::int32_t smallInteger(const Json& value, const char* key, const std::string& where);

// "field \"x\" …", with what to do.
[[noreturn]] void fail(const std::string& problem, const std::string& where);

}  // namespace cospadi::fields
