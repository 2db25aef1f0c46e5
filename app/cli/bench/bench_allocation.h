// `cospadi bench allocation`: whether sharing the bytes pays, over accounting, ρ and compression
// ratio: perplexity of the model compressed by a rule (`--allocation`, knapsack) against one ratio
// for all, in the same bytes.
#pragma once

#include <cstdint>
#include <string>

#include "app/cli/session.h"

namespace cospadi::cli {

struct AllocationBenchOptions {
    std::string model = "default";
    std::string layers;  // regex; empty: all
    std::string rule = "knapsack";
    std::int64_t maxTokens = 65536;
    std::string csv;  // where to write the figures; empty: nowhere
    bool quick = false;
};

// Misses its target where the rule ends above uniform. Its runs are stored with the tag
// "bench-allocation"; started again it goes on where it stopped.
int benchAllocation(const Session& session, const AllocationBenchOptions& options);

}  // namespace cospadi::cli
