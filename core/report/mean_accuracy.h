// One number for what runs came to in tasks: the mean of the accuracies that they have in common.
#pragma once

#include <string>
#include <vector>

#include "core/report/run_dimensions.h"
#include "core/store/run_row.h"

namespace cospadi {

// Means of different tasks must not stand in one column: it takes the tasks that most of the runs
// with results have, of equals the larger set.
class MeanAccuracy {
  public:
    explicit MeanAccuracy(const std::vector<RunRow>& runs);

    // TASK/METRIC, acc_norm where a task has it, else acc; empty where no run has results.
    std::vector<std::string> metrics() const;
    double of(const RunRow& run) const;  // 0 … 1; NaN where one of them is missing

  private:
    struct Task {
        std::string metric;
        Measure measure;
    };
    std::vector<Task> m_tasks;
};

}  // namespace cospadi
