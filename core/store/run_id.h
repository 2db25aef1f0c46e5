// Ids of runs: they name folders and files, and are printed.
#pragma once

#include <string>
#include <string_view>

namespace cospadi {

// Letters, digits, '.', '_' and '-', at most 200 of them, the first no '.'.
bool isRunId(std::string_view text);

// Throws Error, naming `where`, for text that is no id.
void requireRunId(std::string_view id, const std::string& where);

}  // namespace cospadi
