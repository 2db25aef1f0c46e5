// Two tables of the paper from one's own runs: how the solvers compare (Table 2), and where the
// bytes of compressed layers go (Table 10).
#pragma once

#include <vector>

#include "core/report/report_table.h"
#include "core/store/run_store.h"

namespace cospadi {

// One row a solver with its settings, for the same model, layers, CR and ρ: error, seconds,
// perplexity, means over seeds; with a column `model` first where there are several. runs: finished
// ones, newest first. Throws Error where none is sparse.
ReportTable solversReport(const std::vector<RunRow>& runs);

// Bytes of dictionary, values and mask as they lie in the files of each run, beside the dense
// layers in bfloat16; and what its inference takes: the share of atoms that are active, and the
// multiplications a token (StoredWeight), also as a share of the dense ones, empty of runs of
// before 0.2. Throws Error where no run's matrices are there.
ReportTable storageReport(const RunStore& store, const std::vector<RunRow>& runs);

}  // namespace cospadi
