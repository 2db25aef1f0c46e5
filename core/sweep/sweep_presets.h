// The paper's ablations as sweeps: what `cospadi sweep MODEL --preset NAME` fills a grid with, for
// the report of the same name.
#pragma once

#include <string>
#include <vector>

#include "core/sweep/sweep_grid.h"

namespace cospadi {

struct SweepPreset {
    std::string name;
    std::string description;  // one line, for help
    SweepFile sweep;          // without a model
};

// All at equal bytes: coefficients of a fixed width (packed, 14 bits), so that what is compared
// differs in nothing but what is varied.
const std::vector<SweepPreset>& sweepPresets();

// Throws Error naming those there are.
SweepFile sweepPreset(const std::string& name);

}  // namespace cospadi
