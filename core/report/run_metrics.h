// The numbers that runs come to, by name, and how far those of two runs can be compared.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/phrase.h"
#include "core/report/report_table.h"
#include "core/store/run_row.h"

namespace cospadi {

// The error on calibration sequences that nothing was fitted to, as a metric.
inline constexpr const char* kHeldOutError = "held-out-error";

// The same of all linear layers of the model, the paper's global CR (global_ratio.h), as a metric.
inline constexpr const char* kGlobalRatio = "global-ratio";

// What a token's products with the compressed layers take, as they are stored (methods.md), as a
// metric. Rows of the store have it where RunFilter asks for it.
inline constexpr const char* kMultiplications = "multiplications";

// A number that a run came to: perplexity, avg_acc (average_accuracy.h), error, held-out-error,
// bytes, multiplications, seconds, ratio (storage removed of its layers, as measured),
// global-ratio, or TASK/METRIC of lm-eval ("piqa/acc_norm"). NaN where it has none. Throws Error
// naming those there are.
struct Metric {
    std::string name;
    BestValue best;
    ColumnKind kind;
    int digits;
};
Metric metricFromName(const std::string& name);
bool isMetric(const std::string& name);
std::vector<std::string> metricNames();
// Those of lm-eval that a finished run has: piqa/acc_norm …
std::vector<std::string> taskMetrics(const std::vector<RunRow>& runs);

// Perplexities of different texts or contexts must not stand in one table, nor a task's results in
// different versions, with other shots or other samples: the measure that most runs have, of
// several that as many have the one of most tokens or samples, in words, and its value for a run.
struct Measure {
    std::string text;  // sha256, or the path where that is unknown
    Phrase label;
    std::int64_t context = 0;
    std::int64_t maxTokens = 0;
    std::string score;
    std::optional<TaskResultRow> task;  // for TASK/METRIC: one of those that measure the same
    // For avg_acc: one of each task; of one that no run has, its name alone.
    std::vector<TaskResultRow> tasks = {};
};
Measure commonMeasure(const std::vector<RunRow>& runs, const std::string& metric = "perplexity");
bool isPerplexity(const EvaluationRow& evaluation);
Measure perplexityMeasure(const EvaluationRow& perplexity);
bool isPerplexityBy(const EvaluationRow& evaluation, const Measure& measure);
// Finished runs that have the metric, but by another measure: what a table must own up to.
std::int64_t measuredOtherwise(const std::vector<RunRow>& runs, const std::string& metric,
                               const Measure& measure);
// What stands below a column of perplexities: of which measure they are, and how many of these runs
// have an empty cell because they were measured otherwise.
std::vector<std::string> perplexityNotes(const std::vector<RunRow>& runs, const Measure& measure);
double metricOf(const RunRow& run, const std::string& metric, const Measure& measure);
// Finished runs that have results of some of the tasks of avg_acc, and which those lack, in words;
// empty where there are none, and for another metric.
std::string lackingNote(const std::vector<RunRow>& runs, const Measure& measure);
// Why no run has a value, and what gives it one, for an error.
std::string howToMeasure(const std::vector<RunRow>& runs, const std::string& metric,
                         const Measure& measure);
// Of a task's metric, or a mean of tasks, over its items; 0 where there is none.
double standardErrorOf(const RunRow& run, const std::string& metric, const Measure& measure);

}  // namespace cospadi
