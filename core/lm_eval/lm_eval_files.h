// Writes results of this program in the files that lm-eval 0.4.13 writes: one results_….json, and
// one samples_TASK_….jsonl a task with every item's prompt, answers and likelihoods.
#pragma once

#include <filesystem>
#include <string>

#include "core/lm_eval/task_evaluation.h"
#include "core/tasks/task_evaluator.h"

namespace cospadi {

// How a task was evaluated, besides its items.
struct TaskSetting {
    double limit = 0;
    std::int64_t maxLength = kUsualMaxLength;
    double seconds = 0;  // that it took
};

// One task into `folder`, and the evaluation as readTaskEvaluation() reads it there. Beside files
// of other tasks and of earlier times.
TaskEvaluation writeLmEvalFiles(const std::filesystem::path& folder, const std::string& model,
                                const Task& task, const TaskOutcome& outcome,
                                const TaskSetting& setting);

// The same of what a run has recorded (recordedTaskEvaluation()).
void copyLmEvalFiles(const TaskEvaluation& recorded, const std::filesystem::path& folder);

// Makes the folder that is to keep such files, before anything is computed for it; empty: none.
// Throws Error where nothing can be written there.
void requireWritableFolder(const std::filesystem::path& folder);

// Name, version, shots and number of samples, without results: what is asked.
TaskEvaluation questionOf(const Task& task, std::int64_t maxLength);

}  // namespace cospadi
