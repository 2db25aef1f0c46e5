#include "core/lm_eval/recorded_answers.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/lm_eval/lm_eval_number.h"
#include "core/lm_eval/python_environment.h"
#include "core/store/run_file.h"
#include "core/tasks/task_records.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// What an evaluation's file tells of one task, a row a metric.
std::vector<TaskResultRow> rowsOf(const json& task) {
    std::vector<TaskResultRow> rows;
    TaskResultRow row;
    row.task = task.at("task").get<std::string>();
    row.version = task.value("version", "");
    row.shots = task.value("shots", std::int64_t{-1});
    row.samples = task.value("samples", std::int64_t{0});
    row.dataSha256 = task.value("data_sha256", "");
    const json& metrics = task.at("metrics");
    for (const json& metric : metrics) {
        row.metric = metric.at("metric").get<std::string>();
        row.filter = metric.value("filter", "");
        row.value = lmEvalNumber(metric.at("value"));
        row.standardError = lmEvalNumber(metric.at("stderr"));
        row.higherIsBetter = metric.value("higher_is_better", true);
        rows.push_back(row);
    }
    return rows;
}

bool isSameCall(const json& evaluation, const AskedOfLmEval& asked) {
    const double limit = lmEvalNumber(evaluation.value("limit", json()));
    return evaluation.value("lm_eval_version", "") == lmEvalVersion &&
           (std::isnan(limit) ? 0 : limit) == asked.limit &&
           evaluation.value("chat_template", json()).is_null();
}

bool hasShots(const TaskResultRow& row, const AskedOfLmEval& asked) {
    return !asked.shots || row.shots == *asked.shots;
}

// Of a task that is not known by name any file of the folder may be the one.
bool isOfData(const TaskResultRow& row, const std::string& data, const AskedOfLmEval& asked) {
    return row.dataSha256 == data || (data.empty() && asked.otherData.contains(row.dataSha256));
}

// Whether a task that was asked in the same call tells of what the group is: a part of it, or,
// where the parts are not known by name, one that may be.
bool tellsOfGroup(const TaskResultRow& row, const std::string& group) {
    const bool isOfMmlu = isPartOfMmlu(row.task);
    return row.shots >= 0 && row.samples > 0 &&
           (group == kMmlu ? isOfMmlu : !isOfMmlu && knownTask(row.task) == nullptr);
}

// Of one call all data are of one folder, or of none.
bool isGroupOfData(const TaskResultRow& row, const std::string& data, const AskedOfLmEval& asked) {
    return isOfData(row, data, asked) && (asked.otherData.empty() || !row.dataSha256.empty());
}

// The answer in one evaluation; empty where it is none to this question.
std::vector<TaskResultRow> answerIn(const json& evaluation, const std::string& task,
                                    const AskedOfLmEval& asked) {
    const auto known = asked.data.find(task);
    const std::string data = known == asked.data.end() ? "" : known->second;
    std::vector<TaskResultRow> found;
    std::vector<TaskResultRow> others;  // one a task
    const json& tasks = evaluation.at("tasks");
    for (const json& one : tasks) {
        std::vector<TaskResultRow> rows = rowsOf(one);
        if (!rows.empty() && rows.front().task == task) {
            found = std::move(rows);
        } else if (!rows.empty() && tellsOfGroup(rows.front(), task)) {
            others.push_back(rows.front());
        }
    }
    if (found.empty() || !isOfLength(found.front().version, asked.maxLength)) {
        return {};
    }
    const bool isGroup = task == kMmlu || found.front().shots < 0;
    const bool isSame =
        isGroup ? std::all_of(others.begin(), others.end(),
                              [&](const TaskResultRow& row) {
                                  return hasShots(row, asked) && isGroupOfData(row, data, asked);
                              })
                : hasShots(found.front(), asked) && isOfData(found.front(), data, asked);
    return isSame ? found : std::vector<TaskResultRow>();
}

}  // namespace

std::vector<TaskResultRow> recordedAnswer(const fs::path& run, const std::string& task,
                                          const AskedOfLmEval& asked) {
    std::vector<TaskResultRow> newest;
    std::string created;
    std::error_code failed;
    for (fs::directory_iterator entry(run / "evaluations", failed), end; !failed && entry != end;
         entry.increment(failed)) {
        const fs::path file = entry->path();
        if (file.extension() != ".json" || !file.filename().string().starts_with("lm-eval-")) {
            continue;
        }
        try {
            const json evaluation = readRunJson(file);
            const std::string when = evaluation.value("created", "");
            if (when < created || !isSameCall(evaluation, asked)) {
                continue;
            }
            if (auto found = answerIn(evaluation, task, asked); !found.empty()) {
                newest = std::move(found);
                created = when;
            }
        } catch (const std::exception&) {  // a damaged answer is none
            continue;
        }
    }
    return newest;
}

}  // namespace cospadi
