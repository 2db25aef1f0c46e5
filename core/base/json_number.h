// Numbers in JSON, which has null for what is not finite.
#pragma once

#include <limits>

namespace cospadi {

// NaN for null. Json: nlohmann::json or nlohmann::ordered_json; throws as its get() for a value of
// another type.
template <typename Json>
double numberOrNaN(const Json& value) {
    return value.is_null() ? std::numeric_limits<double>::quiet_NaN()
                           : value.template get<double>();
}

}  // namespace cospadi
