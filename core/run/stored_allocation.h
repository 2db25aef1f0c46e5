// allocation.json of a run: the rule, what it went by and the ratios of the layers
// (core/allocation/allocation_rule.h), which are a part of the run, as what is already on disk was
// compressed with them.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/allocation/allocation_rule.h"

namespace cospadi {

// Written atomically. Throws Error (disk full, …).
void writeAllocation(const std::filesystem::path& file, const AllocationRule& rule,
                     const LayerRatios& allocated);

// The ratio of every layer. Throws Error naming the file and field that are damaged.
std::map<std::string, double> readAllocatedRatios(const std::filesystem::path& file,
                                                  const std::vector<LayerInfo>& layers);

}  // namespace cospadi
