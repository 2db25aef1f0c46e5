// A number in lm-eval's files: some are written as text; "N/A", null and all else are unknown
// (NaN).
#pragma once

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

namespace cospadi {

inline double lmEvalNumber(const nlohmann::json& value) {
    if (value.is_number()) {
        return value.get<double>();
    }
    double number = std::nan("");
    if (value.is_string()) {
        const auto& text = value.get_ref<const std::string&>();
        std::from_chars(text.data(), text.data() + text.size(), number);
    }
    return number;
}

}  // namespace cospadi
