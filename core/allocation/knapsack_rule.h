// The program's own rule: trials of every layer, probes of what errors cost the predictions, a
// knapsack, and the whole tried before it counts (core/allocation/allocation.h, decision 12).
#pragma once

namespace cospadi {

class AllocationRule;
const AllocationRule& knapsackRule();

}  // namespace cospadi
