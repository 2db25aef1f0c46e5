#include "core/report/average_accuracy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/base/error.h"

namespace cospadi {

namespace {

constexpr const char* kNormalised = "acc_norm";
constexpr const char* kPlain = "acc";
constexpr const char* kGroupWithParts = "mmlu";

std::string ownTasksPrefix() { return std::string(kAverageAccuracy) + ":"; }

const TaskResultRow* measuredBy(const RunRow& run, const TaskResultRow& measure) {
    const auto found =
        std::find_if(run.taskResults.begin(), run.taskResults.end(), [&](const TaskResultRow& row) {
            return std::isfinite(row.value) && row.measuresSameAs(measure);
        });
    return found == run.taskResults.end() ? nullptr : &*found;
}

}  // namespace

bool isAverageAccuracy(const std::string& metric) {
    return metric == kAverageAccuracy || metric.starts_with(ownTasksPrefix());
}

std::vector<std::string> tasksOfAverage(const std::string& metric) {
    std::vector<std::string> tasks;
    if (metric == kAverageAccuracy) {
        for (const PaperTask& one : kPaperTasks) {
            tasks.emplace_back(one.task);
        }
        return tasks;
    }
    std::string rest = metric.substr(ownTasksPrefix().size());
    for (std::size_t plus = 0; plus != std::string::npos;) {
        plus = rest.find('+');
        const std::string task = rest.substr(0, plus);
        if (task.empty() || std::find(tasks.begin(), tasks.end(), task) != tasks.end()) {
            throw Error(task.empty() ? "contains an empty task" : "names " + task + " twice",
                        metric, "for example avg_acc:piqa+arc_easy");
        }
        tasks.push_back(task);
        rest = plus == std::string::npos ? "" : rest.substr(plus + 1);
    }
    return tasks;
}

std::vector<std::string> accuracyMetrics(const std::vector<RunRow>& runs) {
    std::map<std::string, std::string> byTask;
    for (const RunRow& run : runs) {
        for (const TaskResultRow& row : run.taskResults) {
            if (run.status != "finished" || !std::isfinite(row.value)) {
                continue;
            }
            if (row.metric == kNormalised) {
                byTask[row.task] = row.metric;
            } else if (row.metric == kPlain) {
                byTask.try_emplace(row.task, row.metric);
            }
        }
    }
    if (byTask.contains(kGroupWithParts)) {
        std::erase_if(byTask, [](const auto& entry) {
            return entry.first.starts_with(std::string(kGroupWithParts) + "_");
        });
    }
    std::vector<std::string> metrics;
    for (const auto& [task, metric] : byTask) {
        metrics.push_back(task + "/" + metric);
    }
    return metrics;
}

std::string accuracyMetricOf(const std::vector<RunRow>& runs, const std::string& task) {
    const bool normalised = std::any_of(runs.begin(), runs.end(), [&](const RunRow& run) {
        return run.status == "finished" &&
               std::any_of(run.taskResults.begin(), run.taskResults.end(),
                           [&](const TaskResultRow& row) {
                               return row.task == task && row.metric == kNormalised &&
                                      std::isfinite(row.value);
                           });
    });
    return task + "/" + (normalised ? kNormalised : kPlain);
}

std::vector<std::string> missingTasks(const RunRow& run,
                                      const std::vector<TaskResultRow>& measures) {
    std::vector<std::string> missing;
    for (const TaskResultRow& measure : measures) {
        if (measuredBy(run, measure) == nullptr) {
            missing.push_back(measure.task);
        }
    }
    return missing;
}

double averageOf(const RunRow& run, const std::vector<TaskResultRow>& measures) {
    double sum = 0;
    for (const TaskResultRow& measure : measures) {
        const TaskResultRow* result = measuredBy(run, measure);
        sum += result != nullptr ? result->value : unknownNumber;
    }
    return sum / static_cast<double>(measures.size());  // NaN without tasks
}

double averageErrorOf(const RunRow& run, const std::vector<TaskResultRow>& measures) {
    double squares = 0;
    for (const TaskResultRow& measure : measures) {
        const TaskResultRow* result = measuredBy(run, measure);
        squares +=
            result != nullptr ? result->standardError * result->standardError : unknownNumber;
    }
    const double error = std::sqrt(squares) / static_cast<double>(measures.size());
    return std::isfinite(error) ? error : 0;
}

std::string lacksText(const std::vector<RunRow>& runs, const std::vector<TaskResultRow>& measures) {
    std::string text;
    std::size_t least = measures.size();
    for (const RunRow& run : runs) {
        const std::vector<std::string> missing = missingTasks(run, measures);
        if (run.status == "finished" && !missing.empty() && missing.size() < least) {
            least = missing.size();
            text = fmt::format("{} lacks {}", run.id, fmt::join(missing, ", "));
        }
    }
    return text;
}

}  // namespace cospadi
