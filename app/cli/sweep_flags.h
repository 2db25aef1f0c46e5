// The flags of `cospadi sweep` and the grid that they make: every field of a specification takes a
// list of values (core/sweep/sweep_grid.h), of a file, of a preset or typed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/run_command.h"
#include "core/cluster/lease.h"
#include "core/schedulers/slurm_script.h"
#include "core/sweep/sweep_grid.h"

namespace cospadi::cli {

constexpr const char* kSlurm = "slurm";  // what --on hands to; others get a file (workflow_file.h)

struct SweepFlags {
    std::string source;                                      // a model, or a file with a grid
    std::map<std::string, std::vector<std::string>> fields;  // by their names, dotted where nested
    std::vector<std::string> layers, calibration, set;
    std::string name, preset;
    std::string evaluate;
    std::optional<std::int64_t> context, maxTokens;
    std::vector<std::string> tasks;
    std::string tasksBy, taskData;
    std::optional<double> limit;
    std::optional<std::int64_t> shots;
    std::vector<std::string> tags;
    DeviceOptions device;
    bool dryRun = false;
    bool models = false;
    std::filesystem::path writeJobs;  // the sweep file
    std::string on;                   // a scheduler
    double leaseSeconds = kLeaseSeconds;
    SlurmOptions slurm;
    // Flags that do not always count: of what a sweep file settles when it is written, of such a
    // file alone, and of whom its jobs are handed to.
    std::vector<Argument> ofSweep, ofFile, ofScheduler;
};

// The flags outlive the command.
void addSweepFlags(Command command, SweepFlags& flags);

// The grid with everything beside it; what is typed replaces the fields of a file or preset, tags
// are added to its own. Throws UsageError where what was typed is wrong, Error where a file is.
SweepFile sweepFileOf(const SweepFlags& flags);

}  // namespace cospadi::cli
