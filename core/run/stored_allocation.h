// allocation.json of a run: the ratios of its layers (core/allocation/allocation.h), which are a
// part of the run, as what is already on disk was compressed with them.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/allocation/allocation.h"

namespace cospadi {

// Written atomically. Throws Error (disk full, …).
void writeAllocation(const std::filesystem::path& file, const AllocationResult& allocated);

// The ratio of every layer. Throws Error naming the file and field that are damaged.
std::map<std::string, double> readAllocatedRatios(const std::filesystem::path& file,
                                                  const std::vector<LayerInfo>& layers);

// What a user should know of it; empty where the ratios are as the knapsack chose them.
std::string warningOf(const AllocationResult& allocated);

}  // namespace cospadi
