// `cospadi sweep --dry-run`.
#pragma once

#include <string>

#include "app/cli/session.h"
#include "app/cli/sweep_plan.h"

namespace cospadi::cli {

// Prints beside each run its matrices, bytes, memory and predicted time, or why it will be refused;
// then what is left to do in all. Starts nothing. device: in words, as stored runs name it.
// options: what would be measured of each run, which is listed, with its time, where the run has no
// answer yet; and whether model folders are written. Exit code 1 where one is refused.
int dryRun(const Session& session, const SweepPlan& plan, const std::string& device,
           const SweepOptions& options);

}  // namespace cospadi::cli
