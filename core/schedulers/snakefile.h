// A sweep file as a Snakefile: a rule a stage, a job of snakemake for every task, and what it waits
// for by files of its own.
#pragma once

#include <filesystem>
#include <string>

#include "core/schedulers/workflow_file.h"

namespace cospadi {

// As workflowFile().
WorkflowFile snakefile(const SweepContract& contract, const SlurmOptions& options,
                       const std::filesystem::path& program);

// The command that starts it.
std::string snakemakeCommand(const std::filesystem::path& file);

}  // namespace cospadi
