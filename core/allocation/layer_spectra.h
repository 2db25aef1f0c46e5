// The singular values of all layers that share bytes.
#pragma once

#include <optional>
#include <vector>

#include "core/allocation/allocation_rule.h"

namespace cospadi {

// Of every layer of the problem, in its order, descending: of W, or of W_L = L W where grams are
// given. A layer at a time and thread; progress counts layers. nullopt when cancelled. Throws Error
// where a weight or Gram is not finite.
std::optional<std::vector<std::vector<double>>> layerSpectra(const AllocationProblem& problem,
                                                             const GramSet* grams,
                                                             const ProgressCallback& progress,
                                                             const std::stop_token& stop);

}  // namespace cospadi
