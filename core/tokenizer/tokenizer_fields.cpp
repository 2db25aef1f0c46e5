#include "core/tokenizer/tokenizer_fields.h"

#include <limits>

#include "core/base/error.h"

namespace cospadi::fields {

void fail(const std::string& problem, const std::string& where) {
    throw Error(problem, where, kCorrectTokenizer);
}

const Json& member(const Json& json, const char* key) {
    static const Json kNull;
    if (!json.is_object()) {
        return kNull;
    }
    const auto found = json.find(key);
    return found == json.end() ? kNull : *found;
}

const Json& required(const Json& json, const char* key, const std::string& where) {
    const Json& value = member(json, key);
    if (value.is_null()) {
        fail(std::string("the tokenizer's field \"") + key + "\" is missing", where);
    }
    return value;
}

bool flag(const Json& json, const char* key, bool fallback, const std::string& where) {
    const Json& value = member(json, key);
    if (!value.is_null() && !value.is_boolean()) {
        fail(std::string("the tokenizer's field \"") + key + "\" is not true or false", where);
    }
    return value.is_null() ? fallback : value.get<bool>();
}

std::string text(const Json& json, const char* key, const std::string& where) {
    const Json& value = member(json, key);
    if (!value.is_null() && !value.is_string()) {
        fail(std::string("the tokenizer's field \"") + key + "\" is not a string", where);
    }
    return value.is_null() ? std::string() : value.get<std::string>();
}

std::string typeOf(const Json& json) {
    const Json& value = member(json, "type");
    return value.is_string() ? value.get<std::string>() : std::string();
}

const Json& list(const Json& json, const char* key, const std::string& where) {
    static const Json kEmpty = Json::array();
    const Json& value = member(json, key);
    if (!value.is_null() && !value.is_array()) {
        fail(std::string("the tokenizer's field \"") + key + "\" is not a list", where);
    }
    return value.is_null() ? kEmpty : value;
}

std::int32_t smallInteger(const Json& value, const char* key, const std::string& where) {
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
    const bool fits = value.is_number_unsigned()
                          ? value.get<std::uint64_t>() <= std::uint64_t{kMost}
                          : value.is_number_integer() && value.get<std::int64_t>() >= 0;
    if (fits) {
        return value.get<std::int32_t>();
    }
    fail(std::string("the tokenizer's field \"") + key + "\" (an id or count) is not an integer " +
             "from 0 to 2^31-1: " +
             value.dump(-1, ' ', true, Json::error_handler_t::replace).substr(0, 100),
         where);
}

}  // namespace cospadi::fields
