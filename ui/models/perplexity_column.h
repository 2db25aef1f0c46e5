// The column of perplexities in a list of runs: by the measure that most of its runs have
// (core/report/run_metrics.h), as those of different texts, contexts or lengths do not compare. A
// run that has only others shows its latest with an asterisk; it is not sorted by it.
#pragma once

#include <QString>

#include "core/report/run_metrics.h"
#include "ui/models/run_columns.h"

namespace cospadi::ui {

RunColumn perplexityColumn(const Measure& measure);

// Two decimals where perplexities are of use, whole numbers above.
QString formatPerplexity(double perplexity);

}  // namespace cospadi::ui
