// What is left of a sweep file, handed to Slurm by its own commands: sbatch, squeue, scontrol,
// scancel, as they stand on the PATH.
//
// Nothing is started twice: under a lock of the sweep's folder, what is done, at work or in Slurm's
// queue under the sweep's name (slurmJobName()) is left out.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/schedulers/slurm_script.h"

namespace cospadi {

struct SlurmStep {
    SlurmArray array;
    std::vector<std::string> command;  // sbatch and its arguments
    std::string id;                    // the array's; empty: not submitted
};

struct SlurmSubmission {
    std::vector<SlurmStep> steps;
    std::size_t done = 0;    // jobs that are
    std::size_t atWork = 0;  // or under a live lease
    std::size_t queued = 0;  // or in the queue
    std::size_t never = 0;   // or cannot succeed
    std::string problem;     // why not all steps were submitted
};

// As the nodes will run it: this process' own executable.
std::filesystem::path ownProgram();

// The scripts by stage, for the stages that the steps have.
std::vector<std::pair<std::filesystem::path, std::string>> slurmScripts(
    const SweepContract& contract, const SlurmOptions& options);

// What submitting would do where Slurm has nothing of the sweep yet; asks Slurm, where it is there,
// for its largest array. Ids of arrays that do not exist yet read "STAGE-NUMBER".
SlurmSubmission plannedSubmission(const SweepContract& contract, const SlurmOptions& options);

// Writes the scripts below FOLDER/slurm and submits. Throws Error where Slurm is not here, or gives
// no answer; what an array's submission fails with is the submission's `problem`: those before it
// stay, those behind it are not tried.
SlurmSubmission submitToSlurm(const SweepContract& contract, const SlurmOptions& options);

// Takes the sweep's tasks out of the queue, those at work included: all of them, or those that do
// one of `jobs`, with what else such a task does. How many. Throws Error where Slurm is not here,
// or refuses.
std::size_t cancelOnSlurm(const SweepContract& contract,
                          const std::optional<std::vector<std::size_t>>& jobs = std::nullopt);

// Those of the last submission; empty where there was none.
std::optional<SlurmOptions> lastSlurmOptions(const SweepContract& contract);

}  // namespace cospadi
