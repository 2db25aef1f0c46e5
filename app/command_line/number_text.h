// Numbers in the words of a command line, as CLI11 reads them into variables: for options that keep
// the text and read it later. A value is the same number whichever option it is given to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace cospadi::cli {

// nullopt where the text, whole, is no number. As C reads them: "+2" and "0x10" are numbers, of
// integers "010" is 8, of reals "nan" and "inf" are numbers. Integers beyond the type are its
// nearest, without a sign "-1" is 2⁶⁴ − 1.
std::optional<std::int64_t> wholeNumberIn(const std::string& text);
std::optional<std::uint64_t> unsignedNumberIn(const std::string& text);
std::optional<double> realNumberIn(const std::string& text);

}  // namespace cospadi::cli
