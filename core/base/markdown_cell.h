// Text in a cell of a Markdown table, where a bar or a line's end would end it.
#pragma once

#include <string>
#include <string_view>

namespace cospadi {

// Text that has marks of its own, or stands in code, where backslashes are read as they are.
inline std::string markdownCell(const std::string& text) {
    std::string safe;
    for (const char c : text) {
        safe += c == '|' ? std::string("\\|") : std::string(1, c == '\n' ? ' ' : c);
    }
    return safe;
}

// Plain text: what Markdown would take for marks reads as it is.
inline std::string markdownText(const std::string& text) {
    constexpr std::string_view kMarks = "\\*_<>[]`";
    std::string plain;
    for (const char c : text) {
        plain += kMarks.find(c) == std::string_view::npos ? "" : "\\";
        plain += c;
    }
    return markdownCell(plain);
}

}  // namespace cospadi
