// A value of JSON as people read it: a string without quotes, everything else as JSON has it.
#pragma once

#include <string>

namespace cospadi {

// Json: nlohmann::json or nlohmann::ordered_json.
template <typename Json>
std::string plainText(const Json& value) {
    return value.is_string() ? value.template get<std::string>() : value.dump();
}

}  // namespace cospadi
