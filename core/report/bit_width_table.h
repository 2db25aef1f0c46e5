// What fewer bits a coefficient cost (the paper's figure of the bit width of S): runs of `cospadi
// requantize` beside the run that each was made of, with values relative to the widest of them.
#pragma once

#include <vector>

#include "core/report/report_table.h"
#include "core/store/run_row.h"

namespace cospadi {

// runs: finished ones, newest first; what a run was made of is looked for among them. A row is a
// run, a point of a curve: model, layers, method, cr, rounding, bits, bytes, ratio, error,
// perplexity and mean accuracy, and the last three relative to the row of 16 bits. The run that the
// others were made of is the first row of every rounding, its bits empty where layers differ in
// them (given ratios, an allocation). Where it has fewer than 16 bits itself, values are relative
// to those, and a note says so. Notes count runs whose origin is not among the runs. Throws Error
// where no run was made by `requantize`.
ReportTable bitWidthTable(const std::vector<RunRow>& runs);

}  // namespace cospadi
