// Words as LaTeX reads them: special characters escaped, symbols that its text fonts lack in math.
#pragma once

#include <string>
#include <vector>

namespace cospadi {

std::string latexText(const std::string& text);

// Every character of `special` by the replacement in its place.
std::string replaced(const std::string& text, const std::string& special,
                     const std::vector<std::string>& replacements);

}  // namespace cospadi
