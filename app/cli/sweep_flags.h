// The flags of `cospadi sweep` and the grid that they make: every field of a specification takes a
// list of values (core/sweep/sweep_grid.h), of a file, of a preset or typed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/run_command.h"
#include "core/sweep/sweep_grid.h"

namespace cospadi::cli {

struct SweepFlags {
    std::string source;                                      // a model, or a file with a grid
    std::map<std::string, std::vector<std::string>> fields;  // by their names, dotted where nested
    std::vector<std::string> layers, calibration, set;
    std::string name, preset;
    std::string evaluate;
    std::optional<std::int64_t> context, maxTokens;
    std::vector<std::string> tags;
    DeviceOptions device;
    bool dryRun = false;
    bool models = false;
};

// The flags outlive the command.
void addSweepFlags(Command command, SweepFlags& flags);

// The grid with everything beside it; what is typed replaces the fields of a file or preset, tags
// are added to its own. Throws UsageError where what was typed is wrong, Error where a file is.
SweepFile sweepFileOf(const SweepFlags& flags);

}  // namespace cospadi::cli
