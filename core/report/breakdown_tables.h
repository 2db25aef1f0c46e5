// Two tables of the paper from one's own runs: how the solvers compare (Table 2), and where the
// bytes of compressed layers go (Table 10).
#pragma once

#include "core/report/report_table.h"
#include "core/store/run_store.h"

namespace cospadi {

// One row a solver with its settings, for the same layers, CR and ρ: error, seconds, perplexity.
// The newest of equal runs. Throws Error where no sparse run is finished.
ReportTable solversReport(const RunStore& store);

// Bytes of dictionary, values and mask as they lie in the files of each run, beside the dense
// layers in bfloat16. Throws Error where no run's matrices are there.
ReportTable storageReport(const RunStore& store);

}  // namespace cospadi
