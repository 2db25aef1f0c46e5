// Which stored runs a command, a table or a page means: what the index can filter, and more.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/report/run_metrics.h"
#include "core/store/run_condition.h"
#include "core/store/run_store.h"

namespace cospadi {

struct RunSelection {
    RunFilter filter;                 // model: its path, or a part of it
    std::string layers;               // exactly this expression
    std::vector<double> cr;           // any of these, and dense runs: what others are compared with
    std::vector<double> rho;          // any of these
    std::vector<std::string> tags;    // all of them
    std::vector<RunCondition> where;  // all of them
};

// Newest first. Of a metric the measure counts that most of the runs have which the settings leave.
// perplexity: becomes that measure where `where` compares perplexities; may be null. Throws Error
// for a field in `where` that no run has, naming those there are, and for a metric that none was
// measured in.
std::vector<RunRow> selectedRuns(const RunStore& store, const RunSelection& selection,
                                 std::optional<Measure>* perplexity = nullptr);

}  // namespace cospadi
