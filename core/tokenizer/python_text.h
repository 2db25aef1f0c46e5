// Internal: what Python's methods of text do, as chat templates call them.
#pragma once

#include <string>
#include <string_view>

namespace cospadi {

enum class Strip { Both, Left, Right };

// str.strip(), lstrip(), rstrip() of these characters (ASCII).
std::string stripped(std::string_view text, std::string_view characters, Strip where = Strip::Both);
// str.strip(): of Unicode's white space as Python counts it.
std::string stripped(std::string_view text);

// text.split(separator)[0] and [-1]: all of it where there is none.
std::string beforeFirst(std::string_view text, std::string_view separator);
std::string afterLast(std::string_view text, std::string_view separator);

}  // namespace cospadi
