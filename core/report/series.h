// The data behind charts as tables in long form, one point a row, for CSV.
//
//   error-iteration  run, method, matrix, phase, iteration, error, seconds: as events.jsonl has it
//   mean-error-iteration
//                    run, method, iteration, error, matrices, ended: means over the matrices; those
//                    that ended before keep their last error, `ended` counts them
//                    Both end with held-out-error where some run has it.
//   metric-rho, metric-cr, metric-iterations
//                    method, rho (cr, iterations), metric, std, n: a curve a method
//   ablation         [facet,] curve, x, metric, std, n: any setting or measured value over any
//                    other (ablation.h); what the window's plot of an ablation shows
//   pareto           method, cr, rho, bytes, metric, pareto: 1 where no other run of the same
//                    layers has both fewer bytes and a better metric
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/report/ablation.h"
#include "core/report/report_table.h"
#include "core/store/iteration_series.h"
#include "core/store/run_row.h"

namespace cospadi {

struct SeriesOptions {
    std::string kind;
    std::string metric = "perplexity";  // for all but the errors over iterations
    std::string matrix;                 // errors over iterations: only names that contain this
    // Errors over iterations: where they come from, RunStore::iterations; events.jsonl without it.
    std::function<IterationSeries(const RunRow& run)> iterations = {};
    AblationAxes axes = {};  // ablation: all but y, which is `metric`
};

// The mean over all matrices after each iteration: where solvers stop early, or take fewer
// iterations on one side, a matrix that has ended counts with its last error, so that every mean is
// over the same matrices. Ascending; only matrices that have errors count.
enum class ErrorOf { Fitted, HeldOut };
struct MeanError {
    std::int64_t iteration = 0;
    double error = 0;
    std::int64_t matrices = 0;  // in the mean
    std::int64_t ended = 0;     // of them before this iteration
};
std::vector<MeanError> meanErrors(const IterationSeries& iterations,
                                  ErrorOf inputs = ErrorOf::Fitted);

std::vector<std::string> seriesKinds();
// Throws Error for a kind that is not one of them.
void requireSeriesKind(const std::string& kind);
// Whether it is of errors over iterations, and so SeriesOptions::matrix counts.
bool choosesMatrices(const std::string& kind);

// Which columns of a series a chart draws. facet: a plot for each of its values; may be empty, as
// may curve.
struct SeriesColumns {
    std::string x, y, curve, facet;
};
SeriesColumns columnsOf(const SeriesOptions& options);

// runs: newest first. Throws Error for an unknown kind or metric and where there is no data.
ReportTable series(const std::vector<RunRow>& runs, const SeriesOptions& options);

}  // namespace cospadi
