// A program's manual page, in the macros of man(7), UTF-8.
#pragma once

#include <string>

#include "app/command_line/description.h"

namespace cospadi::cli {

// NAME is what stands behind the colon of the program's help, as "The window: choose layers …";
// every command has a part of its own with its options; each block of the footer that begins with
// a line of its own is a section. seeAlso: another page of section 1, or empty.
std::string manualPage(const CommandDescription& program, const std::string& version,
                       const std::string& seeAlso);

}  // namespace cospadi::cli
