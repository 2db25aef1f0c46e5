// Which stored runs a command means: the same flags for `runs list`, `report` and others.
#pragma once

#include <string>
#include <vector>

#include "app/command_line/command.h"
#include "core/report/run_selection.h"

namespace cospadi::cli {

// What marks the runs of a sweep in the store: found by --sweep NAME, as by any tag.
std::string sweepTag(const std::string& name);

// The selection outlives the command. Returns all that was added.
std::vector<Argument> addRunFilters(Command command, RunSelection& selection);

}  // namespace cospadi::cli
