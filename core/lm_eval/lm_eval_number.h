// A number in lm-eval's files: some are written as text; "N/A", "3 days", null and all else are
// unknown (NaN).
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
    if (value.is_string()) {
        const auto& text = value.get_ref<const std::string&>();
        const char* end = text.data() + text.size();
        double number = 0;
        const auto [stopped, failure] = std::from_chars(text.data(), end, number);
        if (failure == std::errc() && stopped == end) {
            return number;
        }
    }
    return std::nan("");
}

}  // namespace cospadi
