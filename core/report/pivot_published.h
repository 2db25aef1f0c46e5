// Rows of the paper's tables below those of a pivot.
#pragma once

#include <vector>

#include "core/report/pivot.h"
#include "core/report/pivot_groups.h"

namespace cospadi {

// What the tables of options.beside print of the metric: a row for each of their methods and
// models, in the columns of these keys, and a note with its source. Throws Error where `method` is
// none of the rows.
void addPublishedRows(ReportTable& table, const PivotOptions& options,
                      const std::vector<PivotKey>& columns);

}  // namespace cospadi
