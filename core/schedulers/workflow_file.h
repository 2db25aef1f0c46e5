// A sweep file as what another engine takes of all of it at once: a Snakefile, an indexed job of
// Kubernetes, a task of SkyPilot. Text alone: cospadi writes it, who uses it starts it. Whatever
// the engine does twice is done once, as `cospadi job` passes over what is done.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/schedulers/slurm_script.h"

namespace cospadi {

// "snakemake", "kubernetes", "skypilot".
const std::vector<std::string>& workflowEngines();

struct WorkflowFile {
    std::filesystem::path file;  // FOLDER/snakemake/Snakefile, FOLDER/kubernetes/job.yaml …
    std::string text;
    std::string start;              // the command that takes it
    std::vector<std::string> edit;  // what only its user knows: marked EDIT in the text
};

// options: as of Slurm, in the words of the engine. Where one has no such thing, Error names the
// flag (a partition outside of Snakemake). program: `cospadi`, as the nodes see it.
WorkflowFile workflowFile(const std::string& engine, const SweepContract& contract,
                          const SlurmOptions& options, const std::filesystem::path& program);

// The command of the Snakefile that was written for this sweep; empty where there is none.
std::string snakemakeStart(const SweepContract& contract);

}  // namespace cospadi
