#include "app/cli/task_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "app/cli/result_json.h"
#include "app/cli/session.h"
#include "app/cli/suggestion.h"
#include "core/tasks/task_items.h"
#include "core/tasks/task_records.h"

namespace cospadi::cli {

nlohmann::json taskEvaluationJson(const TaskEvaluation& evaluation) {
    nlohmann::json results = nlohmann::json::array();
    for (const TaskResultRow& row : evaluation.results) {
        results.push_back(taskResultJson(row));
    }
    return {{"model", evaluation.model}, {"results", results}};
}

std::string limitProblem(const std::string& text) {
    double value = 0;
    const char* end = text.data() + text.size();
    const auto [stopped, failure] = std::from_chars(text.data(), end, value);
    const bool reads = failure == std::errc() && stopped == end && std::isfinite(value);
    return reads && value > 0 && (value < 1 || value == std::floor(value))
               ? ""
               : "'" + text + "' is neither an integer number of items nor a fraction below 1";
}

std::string taskEvaluationTable(const TaskEvaluation& evaluation) {
    const auto metricOf = [](const TaskResultRow& row) {
        const bool isPlain = row.filter.empty() || row.filter == "none";
        return isPlain ? row.metric : row.metric + "," + row.filter;
    };
    std::size_t taskWidth = 18;
    std::size_t metricWidth = 18;
    for (const TaskResultRow& row : evaluation.results) {
        taskWidth = std::max(taskWidth, row.task.size() + 2);
        metricWidth = std::max(metricWidth, metricOf(row).size() + 2);
    }
    std::string text =
        fmt::format("{:<{}}{:<{}}{:>10}{:>10}{:>9}{:>7}  {}\n", "task", taskWidth, "metric",
                    metricWidth, "value", "stderr", "samples", "shots", "version");
    const auto number = [](double value) {
        return std::isfinite(value) ? fmt::format("{:.4f}", value) : std::string("-");
    };
    for (const TaskResultRow& row : evaluation.results) {
        text +=
            fmt::format("{:<{}}{:<{}}{:>10}{:>10}{:>9}{:>7}  {}\n", row.task, taskWidth,
                        metricOf(row), metricWidth, number(row.value), number(row.standardError),
                        row.samples, row.shots < 0 ? "-" : std::to_string(row.shots), row.version);
    }
    return text;
}

void requireKnownTasks(const std::vector<std::string>& tasks) {
    const std::vector<std::string> known = nativeTaskNames();
    for (const std::string& task : tasks) {
        if (!isMmluSubject(task) && std::find(known.begin(), known.end(), task) == known.end()) {
            const std::string near = nearestWord(task, known);
            throw UsageError(
                fmt::format("there is no built-in task {}", task), "--tasks",
                fmt::format("{}built-in tasks are {}; `cospadi lm-eval` runs all of lm-eval's",
                            near.empty() ? "" : fmt::format("did you mean {}? ", near),
                            fmt::join(known, ", ")));
        }
    }
}

}  // namespace cospadi::cli
