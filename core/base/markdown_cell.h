// Text in a cell of a Markdown table, where a bar or a line's end would end it.
#pragma once

#include <string>

namespace cospadi {

inline std::string markdownCell(const std::string& text) {
    std::string safe;
    for (const char c : text) {
        safe += c == '|' ? std::string("\\|") : std::string(1, c == '\n' ? ' ' : c);
    }
    return safe;
}

}  // namespace cospadi
