// Characters that Oniguruma's Unicode 16 knows and an older PCRE2 (10.42: Unicode 14) does not.
#pragma once

#include <string>

namespace cospadi {

// Ranges for the inside of a character class. category: a letter and maybe a second one, as in
// \p{L} and \p{Lu}; empty where nothing is to be added.
std::string newerCharacters(const std::string& category);

}  // namespace cospadi
