// Which jobs of a sweep file start from the same Gram matrices, so that one of them computes these
// before the others begin.
#pragma once

#include <optional>
#include <vector>

#include "core/cluster/sweep_contract.h"

namespace cospadi {

// Of each of `jobs` (numbers in the contract's list, ascending), the first of them that has the
// same calibration, or itself; empty where it needs none.
std::vector<std::optional<std::size_t>> calibratingJobs(const SweepContract& contract,
                                                        const std::vector<std::size_t>& jobs);

}  // namespace cospadi
