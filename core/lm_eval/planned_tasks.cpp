#include "core/lm_eval/planned_tasks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/sha256.h"
#include "core/lm_eval/listed_tasks.h"
#include "core/lm_eval/lm_eval_files.h"
#include "core/lm_eval/lm_eval_run.h"
#include "core/lm_eval/native_evaluation.h"
#include "core/lm_eval/recorded_answers.h"
#include "core/lm_eval/task_data.h"
#include "core/lm_eval/task_size.h"
#include "core/store/field_reader.h"
#include "core/tasks/task_records.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kOfPlan = "the tasks of an evaluation";
constexpr std::int64_t kShortestPrompt = 16;
constexpr std::int64_t kLongestPrompt = 1'000'000;

TaskSelection selectionOf(const TaskPlan& plan) {
    TaskSelection selection;
    selection.data = plan.data;
    selection.limit = plan.limit;
    selection.shots = plan.shots.value_or(0);
    if (plan.data.empty()) {
        selection.otherwise = taskDataPlaces();
    }
    return selection;
}

// The file that lm-eval would be given for a task; empty where it loads the data itself.
fs::path localDataOf(const std::string& task, const fs::path& folder) {
    const KnownTask* known = knownTask(task);
    const std::string file = isPartOfMmlu(task) ? std::string(kMmluFile)
                             : known != nullptr ? known->file
                                                : std::string();
    return folder.empty() || file.empty() ? fs::path() : findRecords(folder, file);
}

}  // namespace

const char* name(TasksBy by) { return by == TasksBy::Native ? "native" : "lm-eval"; }

TasksBy tasksByFromName(const std::string& word) {
    for (const TasksBy by : {TasksBy::Native, TasksBy::LmEval}) {
        if (word == name(by)) {
            return by;
        }
    }
    throw Error(fmt::format("'{}' cannot evaluate tasks", word), "by", "use native or lm-eval");
}

void TaskPlan::validate() const {
    if (tasks.empty()) {
        throw Error("no task is given", "tasks", "for example piqa, arc_easy");
    }
    for (auto task = tasks.begin(); task != tasks.end(); ++task) {
        if (task->empty() || task->starts_with('-') || task->find(',') != std::string::npos) {
            throw Error(fmt::format("\"{}\" is not a task", *task), "tasks",
                        "for example piqa, arc_easy");
        }
        if (std::find(tasks.begin(), task, *task) != task) {
            throw Error(fmt::format("lists {} twice", *task), "tasks", "remove one of them");
        }
    }
    if (!(limit >= 0) || !std::isfinite(limit) || (limit >= 1 && limit != std::floor(limit))) {
        throw Error(
            fmt::format("is neither an integer number of items nor a fraction below 1: {}", limit),
            "limit", "omit it for all items");
    }
    if (shots && *shots < 0) {
        throw Error("must not be negative", "shots", "use 0 for none");
    }
    if (maxLength < kShortestPrompt || maxLength > kLongestPrompt) {
        throw Error(fmt::format("is not between {} and {}", kShortestPrompt, kLongestPrompt),
                    "max_length", "2048 is typical");
    }
    if (!data.empty() && !fs::is_directory(data)) {
        throw Error("is not a folder", data, "give the one with the data sets");
    }
}

json toJson(const TaskPlan& plan) {
    return {{"names", plan.tasks}, {"by", name(plan.by)},
            {"limit", plan.limit}, {"shots", plan.shots ? json(*plan.shots) : json()},
            {"data", plan.data},   {"max_length", plan.maxLength}};
}

TaskPlan taskPlanFromJson(const json& value, const std::string& field) {
    TaskPlan plan;
    if (value.is_string() || value.is_array()) {
        plan.tasks = valueOfType<std::vector<std::string>>(
            value.is_string() ? json::array({value}) : value, field);
        return plan;
    }
    std::string by = name(plan.by);
    std::int64_t shots = -1;
    FieldReader fields(value, field + ".");
    fields.read("names", plan.tasks);
    fields.read("by", by);
    fields.read("limit", plan.limit);
    if (fields.child("shots") != nullptr) {
        fields.read("shots", shots);
        plan.shots = shots;
    }
    fields.read("data", plan.data);
    fields.read("max_length", plan.maxLength);
    fields.refuseUnknown(kOfPlan);
    plan.by = tasksByFromName(by);
    return plan;
}

PlannedTasks::PlannedTasks(TaskPlan plan) : m_plan(std::move(plan)) {
    m_plan.validate();
    if (m_plan.by == TasksBy::Native) {
        const std::vector<Task> tasks = readTasks(m_plan.tasks, selectionOf(m_plan));
        for (const Task& task : tasks) {
            m_tasks.push_back(task.name);
            m_questions.emplace(task.name, questionOf(task, m_plan.maxLength));
            m_tokens[task.name] = approximateTokens(task);
            m_data[task.name] = task.dataSha256;
            if (m_plan.data.empty() && isShippedSample(task.data)) {
                m_sampled.push_back(task.name);
            }
        }
        return;
    }
    m_tasks = m_plan.tasks;
    const fs::path folder =
        m_plan.data.empty() ? fetchedDataFor(m_plan.tasks) : fs::path(m_plan.data);
    for (const std::string& task : m_tasks) {
        if (const fs::path file = localDataOf(task, folder); !file.empty()) {
            m_data[task] = isPartOfMmlu(task) ? mmluDataSha256(file, m_plan.shots.value_or(0))
                                              : sha256OfFile(file);
        } else if (!folder.empty() && m_otherData.empty()) {
            m_otherData = hashesOfListedData(folder);
        }
    }
}

std::optional<std::int64_t> PlannedTasks::items() const {
    if (m_plan.by == TasksBy::LmEval) {
        return std::nullopt;
    }
    std::int64_t items = 0;
    for (const auto& [task, question] : m_questions) {
        items += question.results.front().samples;
    }
    return items;
}

std::optional<double> PlannedTasks::tokensLeft(const fs::path& run) const {
    if (m_plan.by == TasksBy::LmEval) {
        return std::nullopt;
    }
    double tokens = 0;
    for (const auto& [task, all] : m_tokens) {
        try {
            tokens += answersTo(run, task).empty() ? all : 0;
        } catch (const Error&) {  // a damaged answer is none: who asks says what is wrong with it
            tokens += all;
        }
    }
    return tokens;
}

std::vector<TaskResultRow> PlannedTasks::answersTo(const fs::path& run,
                                                   const std::string& task) const {
    if (run.empty()) {
        return {};
    }
    if (m_plan.by == TasksBy::LmEval) {
        return recordedAnswer(run, task,
                              {m_plan.limit, m_plan.shots, m_data, m_otherData, m_plan.maxLength});
    }
    const auto known = recordedTaskEvaluation(run, m_questions.at(task));
    return known ? known->results : std::vector<TaskResultRow>();
}

std::vector<std::string> PlannedTasks::missing(const fs::path& run) const {
    std::vector<std::string> tasks;
    for (const std::string& task : m_tasks) {
        if (answersTo(run, task).empty()) {
            tasks.push_back(task);
        }
    }
    return tasks;
}

std::vector<TaskResultRow> PlannedTasks::results(const fs::path& run) const {
    std::vector<TaskResultRow> all;
    for (const std::string& task : m_tasks) {
        const std::vector<TaskResultRow> rows = answersTo(run, task);
        all.insert(all.end(), rows.begin(), rows.end());
    }
    return all;
}

bool PlannedTasks::ask(const fs::path& run, const TaskAsking& asking,
                       const std::stop_token& stop) const {
    const std::vector<std::string> tasks = missing(run);
    if (tasks.empty()) {
        return true;
    }
    std::string unrecorded;
    if (m_plan.by == TasksBy::Native) {
        NativeRequest request;
        request.model = run.string();
        request.tasks = tasks;
        request.selection = selectionOf(m_plan);
        request.maxLength = m_plan.maxLength;
        request.threads = asking.threads;
        request.device = asking.device;
        NativeHooks hooks;
        hooks.progress = asking.progress;
        const auto outcome = evaluateTasks(request, hooks, stop);
        if (!outcome) {
            return false;
        }
        unrecorded = outcome->unrecorded;
    } else {
        LmEvalRequest request;
        request.model = run.string();
        request.tasks = tasks;
        request.limit = m_plan.limit > 0 ? std::optional(m_plan.limit) : std::nullopt;
        request.shots =
            m_plan.shots ? std::optional(static_cast<int>(*m_plan.shots)) : std::nullopt;
        request.data = m_plan.data;
        // Of all tasks: a rest alone must not come from another place.
        if (request.data.empty()) {
            request.data = fetchedDataFor(m_plan.tasks);
            request.mayUseFetched = false;
        }
        request.maxLength = m_plan.maxLength;
        request.threads = asking.threads;
        const auto outcome = runLmEval(request, {asking.note, asking.progress}, stop);
        if (!outcome) {
            return false;
        }
        unrecorded = outcome->unrecorded;
    }
    const std::vector<std::string> left = missing(run);
    if (!left.empty()) {
        throw Error(fmt::format("{} not recorded{}{}", fmt::join(left, ", "),
                                unrecorded.empty() ? "" : ": ", unrecorded),
                    run.string(), "run the same command again");
    }
    return true;
}

}  // namespace cospadi
