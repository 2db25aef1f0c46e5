// Where a user's files belong, by the XDG base directory specification.
#pragma once

#include <filesystem>

namespace cospadi {

// $HOME where that is an absolute path, else the home directory of the user's account. Throws Error
// where there is neither: a place that anybody can write to, such as /tmp, is no substitute.
std::filesystem::path homeDirectory();

// The path in `variable` where it is absolute, else `underHome` in homeDirectory().
std::filesystem::path xdgDirectory(const char* variable, const char* underHome);

}  // namespace cospadi
