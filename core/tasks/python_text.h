// Python's string functions that lm-eval's prompts and metrics are made with, on valid UTF-8.
//
// Strings are counted in characters, white space is Unicode's as Python has it, and patterns match
// as Python's `re` does. Errors: a pattern that does not compile is a bug and throws Error.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cospadi {

std::int64_t pythonLength(std::string_view text);          // len(text)
std::string_view pythonStrip(std::string_view text);       // text.strip()
std::string_view pythonLeftStrip(std::string_view text);   // text.lstrip()
std::string_view pythonRightStrip(std::string_view text);  // text.rstrip()
std::string pythonLowerFirst(std::string_view text);       // text[0].lower() + text[1:]
std::string pythonCapitalize(std::string_view text);       // text.capitalize()
std::string pythonReplace(std::string text, std::string_view old, std::string_view with);

// re.sub(pattern, with, text); ${1} in `with` is the first group.
std::string pythonSubstitute(const char* pattern, std::string_view with, std::string_view text);
// len(re.findall(pattern, text))
std::int64_t pythonMatches(const char* pattern, std::string_view text);

}  // namespace cospadi
