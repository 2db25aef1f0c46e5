// One's own runs laid out like the paper's main tables: models, ratios and methods down, tasks
// across, with the rows that the paper printed for the same model beside them.
#pragma once

#include <vector>

#include "core/report/published.h"
#include "core/report/report_table.h"
#include "core/store/run_row.h"

namespace cospadi {

// Main: the tables of all linear layers (3, 4, 11). UpGate: those of selective compression (6, 14),
// where a row is told by the CR of up and gate and by the global one (global_ratio.h), as measured;
// all linear layers stand beside them, and the printed rows also where they are of another model.
enum class PaperLayout { Main, UpGate };

// runs: newest first. A row is a model, a ratio and a method with its settings: the mean over the
// seeds of runs that agree in all else (run_places.h); accuracies in per cent, normalized where a
// task has that, as the paper says of its own. The average stands where all eight tasks are there.
// Of each task the version, shots, samples and data count that most runs of the model have; of
// several kinds of run in one row, the usual one of the model. Notes say what is left out: other
// measures, other kinds, runs on other layers. Throws Error where no run has results, or none of up
// and gate has some.
ReportTable paperTable(const std::vector<RunRow>& runs,
                       const std::vector<PublishedTable>& published,
                       PaperLayout layout = PaperLayout::Main);

}  // namespace cospadi
