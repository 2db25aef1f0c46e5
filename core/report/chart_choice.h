// What the window's charts that are no series (series.h) are drawn over, as figures and views are
// saved with.
#pragma once

#include <string>
#include <vector>

#include "core/report/sweep_matrix.h"

namespace cospadi {

// Axes of parallel coordinates, by the fields of conditions: cr, error, piqa/acc_norm.
struct ParallelChoice {
    std::vector<std::string> order;  // those that stand first
    std::vector<std::string> hidden;
    std::string colour;  // lines have colours by the values on it; empty: on none
    bool operator==(const ParallelChoice&) const = default;
};

struct SweepChoice {
    std::string name;
    SweepAxes axes;  // the metric may be "status", too
    bool operator==(const SweepChoice&) const = default;
};

}  // namespace cospadi
