// Text that came from a file or a name, as it may stand on a terminal: what would move the cursor,
// change colours or the direction of writing stands there as an escape that can be read.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cospadi {

// Control characters become \x1b or \u009b, marks that turn the direction of writing \u202e, bytes
// that are no UTF-8 \xff. Line feeds (also after a carriage return) and tabs stay.
std::string printableText(std::string_view text);

// The same in one line: line feeds and tabs are escaped as well.
std::string printableLine(std::string_view text);

// Bytes of the well-formed UTF-8 character at the start of text, or 0.
std::size_t utf8CharacterLength(std::string_view text);

}  // namespace cospadi
