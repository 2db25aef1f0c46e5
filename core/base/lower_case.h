// Words that are compared, or shown within a sentence, without capitals.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace cospadi {

// Of ASCII letters, whatever the locale; all other bytes stay as they are.
inline std::string lowerCase(std::string_view text) {
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return result;
}

}  // namespace cospadi
