// Tasks as a part of a job: which to ask of a run, by whom, what it has answers to already, and the
// asking of the rest. A sweep, and a job of a sweep file, compress and then do this.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/linalg/compute_device.h"
#include "core/lm_eval/task_evaluation.h"

namespace cospadi {

enum class TasksBy {
    Native,  // core/tasks
    LmEval   // the real one, as a child (lm_eval_run.h)
};
const char* name(TasksBy by);                      // "native", "lm-eval"
TasksBy tasksByFromName(const std::string& word);  // throws Error

struct TaskPlan {
    std::vector<std::string> tasks;  // lm-eval's names; empty: nothing is asked
    TasksBy by = TasksBy::Native;
    double limit = 0;                   // items a task; below 1 a share of them; 0: all
    std::optional<std::int64_t> shots;  // the task's own where absent
    std::string data;                   // folder of the data sets; empty: those of task_data.h
    std::int64_t maxLength = 2048;      // tokens of a prompt with its answer

    void validate() const;  // throws Error naming the field
};

// {"names": […], "by", "limit", "shots", "data", "max_length"}; read also of a list of names alone.
// Throws Error naming the field that is unknown or ill-typed, below `field`.
nlohmann::json toJson(const TaskPlan& plan);
TaskPlan taskPlanFromJson(const nlohmann::json& value, const std::string& field);

struct TaskAsking {
    ComputeDevice device;  // native alone
    int threads = 0;
    ProgressCallback progress;
    std::function<void(const std::string&)> note;  // what is being done, or what figures are of
};

class PlannedTasks {
  public:
    // Native: reads the data sets, once. Throws Error as readTasks() and TaskPlan::validate() do.
    explicit PlannedTasks(TaskPlan plan);

    const TaskPlan& plan() const { return m_plan; }
    // To be asked of a run, where that is known before: not by lm-eval.
    std::optional<std::int64_t> items() const;
    // About how many tokens it takes to find the answers that the run lacks; nullopt by lm-eval.
    std::optional<double> tokensLeft(const std::filesystem::path& run) const;
    // The sha256 of each task's data as it is now; none for what lm-eval loads from the network.
    const std::map<std::string, std::string>& data() const { return m_data; }

    // Tasks of which the data is a sample that ships with the program: figures of those say little.
    const std::vector<std::string>& sampled() const { return m_sampled; }

    // The tasks to which the run has no answer of the same version, shots, items and data; by
    // lm-eval of the same limit, shots and data. Subjects of mmlu, natively, by their own names.
    // All of them where there is no run yet (an empty path).
    std::vector<std::string> missing(const std::filesystem::path& run) const;
    // The answers that it has, in the order of the plan.
    std::vector<TaskResultRow> results(const std::filesystem::path& run) const;

    // Asks what is missing and records it with the run. False where it was stopped: what had ended
    // is recorded. Throws Error, also where an answer cannot be recorded. By lm-eval from a thread
    // that lives on (child_process.h).
    bool ask(const std::filesystem::path& run, const TaskAsking& asking,
             const std::stop_token& stop) const;

  private:
    std::vector<TaskResultRow> answersTo(const std::filesystem::path& run,
                                         const std::string& task) const;

    TaskPlan m_plan;
    std::vector<std::string> m_tasks;                   // those that can be answered one by one
    std::map<std::string, TaskEvaluation> m_questions;  // native
    std::map<std::string, double> m_tokens;             // native
    std::map<std::string, std::string> m_data;
    std::set<std::string> m_otherData;  // hashes of files that tasks of no name here may have
    std::vector<std::string> m_sampled;
};

}  // namespace cospadi
