// What a sweep has come to.
#pragma once

#include <vector>

#include "app/cli/session.h"
#include "core/sweep/sweep.h"

namespace cospadi::cli {

// Prints the finished runs as a table, what failed and why, and what is left. outcomes: one a job.
// The exit code: kCancelled where something is left, kFailed where something failed.
int printSweep(const Session& session, const std::vector<SweepJob>& jobs,
               const std::vector<JobOutcome>& outcomes);

}  // namespace cospadi::cli
