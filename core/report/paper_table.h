// One's own runs laid out like the paper's main tables: models, ratios and methods down, tasks
// across, with the rows that the paper printed for the same model beside them.
#pragma once

#include <vector>

#include "core/report/published.h"
#include "core/report/report_table.h"
#include "core/store/run_row.h"

namespace cospadi {

// runs: newest first. A row is the latest finished run of its model, ratio and method that has
// results of the tasks; accuracies in per cent, normalized where a task has that, as the paper says
// of its own. The average stands where all eight tasks are there. Runs on some layers only, or with
// other samples or shots of a task than the newest, are left out, and a note counts them. Throws
// Error where no run has results.
ReportTable paperTable(const std::vector<RunRow>& runs,
                       const std::vector<PublishedTable>& published);

}  // namespace cospadi
