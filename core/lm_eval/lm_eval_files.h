// Writes results of this program in the files that lm-eval 0.4.13 writes: one results_….json, and
// one samples_TASK_….jsonl a task with every item's prompt, answers and likelihoods.
#pragma once

#include <filesystem>
#include <string>

#include "core/lm_eval/task_evaluation.h"
#include "core/tasks/task_evaluator.h"

namespace cospadi {

// One task into `folder`, and the evaluation as readTaskEvaluation() reads it there.
TaskEvaluation writeLmEvalFiles(const std::filesystem::path& folder, const std::string& model,
                                const Task& task, const TaskOutcome& outcome, double limit,
                                double seconds);

// Name, version, shots and number of samples, without results: what is asked.
TaskEvaluation questionOf(const Task& task);

}  // namespace cospadi
