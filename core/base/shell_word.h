// Text as one word of a POSIX shell.
#pragma once

#include <string>

namespace cospadi {

// As it is where nothing in it means something to a shell, else in single quotes.
std::string shellWord(const std::string& text);

}  // namespace cospadi
