// In what an own run is not the paper's, in words for below a table.
#pragma once

#include <string>
#include <vector>

#include "core/reproduce/reproduced_table.h"

namespace cospadi {

// "calibration.sequences: 16 (paper: 256)": of all runs together, against the preset `paper`
// (paper_preset.h) with the run's own method, model and ratio. shown: settings that the table has
// in columns. One line; empty where nothing differs.
std::string settingDifferences(const std::vector<ReproducedRun>& runs,
                               const std::vector<std::string>& shown);

}  // namespace cospadi
