// The mean over the accuracies that runs have in common, for tables of runs that were not all
// measured in the same tasks.
#pragma once

#include <string>
#include <vector>

#include "core/store/run_row.h"

namespace cospadi {

// Means of different tasks must not stand in one column: it takes the tasks that most of the runs
// with results have, of equals the larger set. What is averaged how: average_accuracy.h.
class MeanAccuracy {
  public:
    explicit MeanAccuracy(const std::vector<RunRow>& runs);

    // TASK/METRIC, acc_norm where a task has it, else acc; empty where no run has results.
    std::vector<std::string> metrics() const;
    double of(const RunRow& run) const;               // 0 … 1; NaN where one of them is missing
    double standardErrorOf(const RunRow& run) const;  // 0 where it is unknown

  private:
    std::vector<TaskResultRow> m_measures;  // one a task
};

}  // namespace cospadi
