// What an ablation draws as one curve, before it has a name: the runs of one plot and one value of
// the curve's setting that agree in all else that counts.
#pragma once

#include <string>
#include <vector>

#include "core/report/ablation_entries.h"

namespace cospadi {

struct AblationGroup {
    AblationValue curve, facet;
    std::string label;  // of the method, where it tells curves apart
    RunSettings rest;
    std::vector<const AblationEntry*> entries;  // the newest first
};

// In the order of plots, curves and methods. Over an x of words a group that agrees with a single
// one that says more is drawn with it. The entries must outlive the groups.
std::vector<AblationGroup> groupsOf(const AblationEntries& entries);

}  // namespace cospadi
