// The tasks of core/tasks on a model or run of this program, recorded as lm-eval's own results are.
//
// Each task is written down as it ends: results and samples in lm-eval's form, with the run that
// the word names, or the dense run of a model. A second start goes on: what a run has an answer to,
// from here or from lm-eval, is not asked again.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/progress.h"
#include "core/linalg/compute_device.h"
#include "core/lm_eval/task_evaluation.h"
#include "core/tasks/task_evaluator.h"

namespace cospadi {

struct NativeRequest {
    std::string model;  // path, run or "default"
    std::vector<std::string> tasks;
    TaskSelection selection;
    std::int64_t maxLength = kUsualMaxLength;
    std::filesystem::path keep;  // also leave results and samples here
    bool again = false;          // also what the run has an answer to
    int threads = 0;
    ComputeDevice device;  // of the linear layers
    // Told once where the device fails and may be done without.
    std::function<void(const DeviceError&)> cpuTakesOver;
};

struct NativeHooks {
    std::function<void(const std::string&)> note;  // what the figures are of, where not of the task
    ProgressCallback progress;                     // items of all tasks
    std::function<void(const Task&, const TaskTally&)> advance;          // after every batch
    std::function<void(const TaskEvaluation&, bool wasThere)> finished;  // a task's results
};

struct NativeOutcome {
    TaskEvaluation evaluation;  // of all tasks
    std::filesystem::path run;  // they are recorded with; a plain model has its dense run
    std::int64_t items = 0;     // evaluated now
    std::int64_t computedTokens = 0;
    double seconds = 0;                // of evaluating them, without loading
    std::vector<std::string> sampled;  // tasks whose data is a sample that ships with the program
    std::string device;      // that computed them; where it failed, so and that the CPU went on
    std::string unrecorded;  // why the run could not take them; empty: it did
};

// Where no folder of data is named, taskDataPlaces() are looked into; figures of a sample are told
// so. nullopt when cancelled: tasks that had ended are recorded. Throws Error as readTasks() and
// TaskEvaluator do; that results cannot be recorded is no error.
std::optional<NativeOutcome> evaluateTasks(const NativeRequest& request, const NativeHooks& hooks,
                                           const std::stop_token& stop);

}  // namespace cospadi
