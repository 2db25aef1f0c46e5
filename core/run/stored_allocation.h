// allocation.json of a run: the rule, what it went by, and of every layer its ratio and, where it
// was chosen, its ρ (core/allocation/allocation_rule.h), which are a part of the run, as what is
// already on disk was compressed with them.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/allocation/allocation_rule.h"

namespace cospadi {

// Written atomically. Throws Error (disk full, …).
// rule: its name, or "given".
void writeAllocation(const std::filesystem::path& file, const std::string& rule,
                     const LayerRatios& allocated);

struct AllocatedLayer {
    double cr = 0;
    std::optional<double> rho;  // none: the specification's
};

// Of every layer, by name; withRho: where the run chose ρ. Throws Error naming the file and field
// that are damaged.
std::map<std::string, AllocatedLayer> readAllocation(const std::filesystem::path& file,
                                                     const std::vector<LayerInfo>& layers,
                                                     bool withRho);

}  // namespace cospadi
