// Runs as a table, a run a row: what the window or `cospadi runs list` shows.
#pragma once

#include <vector>

#include "core/report/report_table.h"
#include "core/store/run_row.h"

namespace cospadi {

// In the given order, with the settings that vary between them and their tags.
ReportTable tableOfRuns(const std::vector<RunRow>& runs);

}  // namespace cospadi
