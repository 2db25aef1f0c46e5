// Completion of a program's words by shells: commands, options, and the values of options that take
// one of a few words. Everything else is completed as a file's name.
#pragma once

#include <string>
#include <vector>

#include "app/command_line/description.h"

namespace cospadi::cli {

const std::vector<std::string>& completionShells();  // bash, zsh, fish

// The script, as the shell loads it: bash-completion and fish by the program's name, zsh as _NAME.
std::string completionScript(const std::string& shell, const CommandDescription& program);

}  // namespace cospadi::cli
