// `cospadi sweep --dry-run`.
#pragma once

#include <string>

#include "app/cli/session.h"
#include "app/cli/sweep_plan.h"

namespace cospadi::cli {

// Prints beside each run its matrices, bytes, memory and predicted time, or why it will be refused;
// then what is left to do in all. Starts nothing. device: in words, as stored runs name it.
// evaluates: each run's perplexity would be measured, too. Exit code 1 where one is refused.
int dryRun(const Session& session, const SweepPlan& plan, const std::string& device,
           bool evaluates);

}  // namespace cospadi::cli
