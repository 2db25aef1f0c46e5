// One number for what a run came to in tasks: the mean of accuracies, as the paper's tables have it
// ("standard zero-shot accuracy (normalized when available)", Section 4.1).
//
//   avg_acc           of the paper's eight tasks
//   avg_acc:piqa+sciq of these
//
// Of each task acc_norm where one of the runs at hand has it, else acc; mmlu is one of the eight,
// the group of task_groups.h. The mean is there where all of the tasks are: one over those that
// happen to be there would be another number under the same name. Its standard error is that of
// independent tasks, √(Σ stderr²) / n.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/store/run_row.h"

namespace cospadi {

inline constexpr const char* kAverageAccuracy = "avg_acc";

struct PaperTask {
    const char* task;   // of lm-eval, and the key of the published tables
    const char* title;  // as the paper heads it
};
inline constexpr std::array<PaperTask, 8> kPaperTasks = {{{"piqa", "PIQA"},
                                                          {"hellaswag", "HellaSwag"},
                                                          {"lambada_openai", "LAMBADA"},
                                                          {"arc_easy", "ARC-e"},
                                                          {"arc_challenge", "ARC-c"},
                                                          {"sciq", "SciQ"},
                                                          {"race", "RACE"},
                                                          {"mmlu", "MMLU"}}};

bool isAverageAccuracy(const std::string& metric);
// Throws Error where a list after the colon has an empty name, or one twice.
std::vector<std::string> tasksOfAverage(const std::string& metric);

// The metric of each task that a finished run has an accuracy of, by the rule above; without the
// parts of a group that is there itself.
std::vector<std::string> accuracyMetrics(const std::vector<RunRow>& runs);
// TASK/acc_norm where one of the finished runs has it, else TASK/acc.
std::string accuracyMetricOf(const std::vector<RunRow>& runs, const std::string& task);

// Of which of `measures`, one a task, the run has no result.
std::vector<std::string> missingTasks(const RunRow& run,
                                      const std::vector<TaskResultRow>& measures);
// 0 … 1; NaN where one of them is missing, or there are none.
double averageOf(const RunRow& run, const std::vector<TaskResultRow>& measures);
// 0 where one of them is unknown.
double averageErrorOf(const RunRow& run, const std::vector<TaskResultRow>& measures);

// "RUN lacks race, mmlu", of the finished run with results that lacks least; empty where there is
// no such run.
std::string lacksText(const std::vector<RunRow>& runs, const std::vector<TaskResultRow>& measures);

}  // namespace cospadi
