// Rows of the paper's tables below those of a pivot.
#pragma once

#include <optional>
#include <vector>

#include "core/report/pivot.h"

namespace cospadi {

// The values of a pivot's rows or columns along their dimensions; none: the setting does not apply.
using PivotKey = std::vector<std::optional<ReportCell>>;

// What the tables of options.beside print of the metric: a row for each of their methods and
// models, in the columns of these keys, and a note with its source. Throws Error where `method` is
// none of the rows.
void addPublishedRows(ReportTable& table, const PivotOptions& options,
                      const std::vector<PivotKey>& columns);

}  // namespace cospadi
