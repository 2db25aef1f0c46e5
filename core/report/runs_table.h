// Runs as a table, a run a row: what the window or `cospadi runs list` shows.
#pragma once

#include <optional>
#include <vector>

#include "core/report/report_table.h"
#include "core/report/run_metrics.h"
#include "core/store/run_row.h"

namespace cospadi {

// In the given order, with the settings that vary between them and their tags. perplexity: by which
// their perplexities are compared; none: the measure that most of them have.
ReportTable tableOfRuns(const std::vector<RunRow>& runs,
                        const std::optional<Measure>& perplexity = std::nullopt);

}  // namespace cospadi
