// `cospadi sweep --write-jobs` and `--on`: a sweep as a file that other processes work off
// (docs/cluster.md), and the file handed to a scheduler.
#pragma once

#include "app/cli/session.h"
#include "app/cli/sweep_flags.h"
#include "core/cluster/sweep_contract.h"

namespace cospadi::cli {

// Whether flags.source is a sweep file that was written before.
bool namesContract(const SweepFlags& flags);

// Writes the sweep file, or takes the one that is named, and with --on submits what is left of it;
// with --dry-run shows that and does nothing.
int handOver(const Session& session, const SweepFlags& flags);

// Submits what is left and tells so.
int submit(const Session& session, const SweepContract& contract, const SlurmOptions& options);

}  // namespace cospadi::cli
