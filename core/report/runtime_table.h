// Where the time of a run goes, laid out like the paper's Table 9: sparse coding, dictionary
// update, the rest and all of it, one's own runs first, the paper's rows below them.
#pragma once

#include <vector>

#include "core/report/report_table.h"
#include "core/store/run_store.h"

namespace cospadi {

// runs: finished ones, newest first; a block a method with its settings, model, layers and CR: the
// newest run of it, so that its parts add up. Methods that find what they store in one go have a
// sign in the place of phases. Throws Error where no run tells its phases.
ReportTable runtimeReport(const RunStore& store, const std::vector<RunRow>& runs);

}  // namespace cospadi
