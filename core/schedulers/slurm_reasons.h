// Why jobs that were handed to Slurm are not done, where they left no word of it in the sweep's
// folder: they wait in its queue, or Slurm ended them, or their node does not see the folder, into
// which they could not say anything then.
#pragma once

#include <string>
#include <vector>

#include "core/cluster/sweep_status.h"

namespace cospadi {

// Completes the reasons of waiting and lost jobs of a sweep that was handed to Slurm; one that
// Slurm ended before it could begin counts as failed. Asks Slurm once, and not at all where no such
// job is. Returns why it gave no answer; empty where it did, or where this machine has no Slurm.
std::string addSlurmReasons(const SweepContract& contract, std::vector<JobStatus>& jobs);

}  // namespace cospadi
