// Which stored runs a command means: the same flags for `runs list`, `report` and others.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

#include "core/store/run_selection.h"

namespace cospadi::cli {

inline constexpr const char* kRunFilters = "Which runs";  // their group in the help

// What marks the runs of a sweep in the store: found by --sweep NAME, as by any tag.
std::string sweepTag(const std::string& name);

void addRunFilters(CLI::App& command, RunSelection& selection);

}  // namespace cospadi::cli
