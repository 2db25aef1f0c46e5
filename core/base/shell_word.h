// Text as words of a POSIX shell.
#pragma once

#include <string>
#include <vector>

namespace cospadi {

// As it is where nothing in it means something to a shell, else in single quotes.
std::string shellWord(const std::string& text);

// Words as a line of one, with a space between.
std::string shellLine(const std::vector<std::string>& words);

}  // namespace cospadi
