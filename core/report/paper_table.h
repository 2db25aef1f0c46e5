// One's own runs laid out like the paper's main tables: models, ratios and methods down, tasks
// across, with the rows that the paper printed for the same model beside them.
#pragma once

#include <vector>

#include "core/report/published.h"
#include "core/report/report_table.h"
#include "core/store/run_row.h"

namespace cospadi {

// runs: newest first. A row is a model, a ratio and a method with its settings: the mean over the
// seeds of runs that agree in all else (run_places.h); accuracies in per cent, normalized where a
// task has that, as the paper says of its own. The average stands where all eight tasks are there.
// Of each task the version, shots, samples and data count that most runs of the model have; of
// several kinds of run in one row, the usual one of the model. Notes say what is left out: other
// measures, other kinds, runs on some layers only. Throws Error where no run has results.
ReportTable paperTable(const std::vector<RunRow>& runs,
                       const std::vector<PublishedTable>& published);

}  // namespace cospadi
