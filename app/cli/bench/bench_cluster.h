// `cospadi bench cluster`: what a large sweep costs besides its jobs.
#pragma once

#include "app/cli/session.h"

namespace cospadi::cli {

// 10 000 jobs of no work (quick: 1000), in the temporary folder: the sweep file is written, handed
// to Slurm and asked for by this program's own commands; then their runs are put there as jobs
// leave them, and taken into a store. onSlurm: to the Slurm of this machine, where each task ends
// at once, and what is left of them is cancelled; else to commands that take and list all and start
// nothing. Throws Error where a command fails.
int benchCluster(const Session& session, bool quick, bool onSlurm);

}  // namespace cospadi::cli
