// Two tables of the paper from one's own runs: how the solvers compare (Table 2), and where the
// bytes of compressed layers go (Table 10).
#pragma once

#include <vector>

#include "core/report/report_table.h"
#include "core/store/run_row.h"

namespace cospadi {

// One row a solver with its settings, for the same layers, CR and ρ: error, seconds, perplexity,
// means over seeds. runs: finished ones, newest first. Throws Error where none is sparse.
ReportTable solversReport(const std::vector<RunRow>& runs);

// Bytes of dictionary, values and mask as they lie in the files of each run, beside the dense
// layers in bfloat16. Throws Error where no run's matrices are there.
ReportTable storageReport(const std::vector<RunRow>& runs);

}  // namespace cospadi
