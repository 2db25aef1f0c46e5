// The data behind charts as tables in long form, one point a row, for CSV.
//
//   error-iteration  run, method, matrix, phase, iteration, error, seconds: as events.jsonl has it
//   metric-rho, metric-cr, metric-iterations
//                    method, rho (cr, iterations), metric, std, n: a curve a method
//   pareto           method, cr, rho, bytes, metric, pareto: 1 where no other run of the same
//                    layers has both fewer bytes and a better metric
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/report/report_table.h"
#include "core/store/iteration_series.h"
#include "core/store/run_row.h"

namespace cospadi {

struct SeriesOptions {
    std::string kind;
    std::string metric = "perplexity";  // for all but error-iteration
    std::string matrix;                 // error-iteration: only names that contain this
    // error-iteration: where they come from, RunStore::iterations; events.jsonl without it.
    std::function<IterationSeries(const RunRow& run)> iterations = {};
};

std::vector<std::string> seriesKinds();
// Throws Error for a kind that is not one of them.
void requireSeriesKind(const std::string& kind);

// runs: newest first. Throws Error for an unknown kind or metric and where there is no data.
ReportTable series(const std::vector<RunRow>& runs, const SeriesOptions& options);

}  // namespace cospadi
