// Own runs and the paper's rows in one table: settings that tell rows apart, then numbers. Within a
// ratio own rows stand first, in the order of the grid, the paper's below them, in its order; best
// values are found among own rows and among those of each of the paper's models by themselves.
#pragma once

#include <string>
#include <vector>

#include "core/reproduce/reproduced_table.h"

namespace cospadi {

// Where a published table has rows of the same model (published.h, sameModel), only those stand
// there; else of all its models. model: the own one's name.
ReportTable comparisonTable(const Reproduction& entry, const ReproducedOutput& output,
                            const std::string& model, const std::vector<ReproducedRun>& runs);

}  // namespace cospadi
