// Which jobs of a sweep cannot begin, known before any of them does.
#pragma once

#include <string>
#include <vector>

#include "core/sweep/sweep.h"

namespace cospadi {

// Of each job why it cannot begin (requireRunnable()); empty where it can, or is finished. What
// jobs share is looked at once.
std::vector<std::string> sweepRefusals(const std::vector<SweepJob>& jobs);

}  // namespace cospadi
