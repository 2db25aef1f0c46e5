#include "core/reproduce/own_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/report/average_accuracy.h"
#include "core/report/name_list.h"
#include "core/report/published_values.h"
#include "core/store/throughput.h"
#include "core/tasks/task_items.h"

namespace cospadi {

namespace {

constexpr double kPerCent = 100;
constexpr const char* kThroughput = "throughput";
// As the published tables call them: of acc_norm where a task has it, and of acc.
constexpr const char* kAverage = "average";
constexpr const char* kPlainAverage = "average:acc";

bool isPlainMetric(const std::string& name) {
    return name != "TASK/METRIC" && contains(metricNames(), name);
}

bool isMetricOfTask(const std::string& name) { return name.find('/') != std::string::npos; }

bool isLossName(const std::string& name) {
    if (isMetricOfTask(name)) {
        return metricFromName(name).best == BestValue::Lowest;
    }
    return name.find("perplexity") != std::string::npos || name == "wikitext";
}

// acc of the tasks of these metrics; none where no run has it of one of them.
std::vector<TaskResultRow> plainMeasures(const std::vector<RunRow>& runs,
                                         const std::vector<std::string>& metrics) {
    std::vector<TaskResultRow> measures;
    for (const std::string& metric : metrics) {
        const Measure plain = commonMeasure(runs, metric.substr(0, metric.find('/')) + "/acc");
        if (!plain.task) {
            return {};
        }
        measures.push_back(*plain.task);
    }
    return measures;
}

ReportCell cellOf(double value, double standardError) {
    if (!std::isfinite(value)) {
        return {};
    }
    return standardError > 0 ? ReportCell(MeanCell{value, 0, 1, standardError}) : ReportCell(value);
}

}  // namespace

bool isOwnValue(const std::string& name) {
    return name == kAverage || name == kPlainAverage || name == kThroughput ||
           isPlainMetric(name) || isMetricOfTask(name) ||
           contains(nativeTaskNames(), name.substr(0, name.find(':')));
}

ReportColumn columnOfValue(const std::string& name, const std::string& title) {
    if (isPlainMetric(name)) {
        const Metric metric = metricFromName(name);
        return {title, metric.kind, metric.digits, metric.best};
    }
    return isLossName(name) ? ReportColumn{title, ColumnKind::Number, 2, BestValue::Lowest}
                            : ReportColumn{title, ColumnKind::Number, 1,
                                           isOwnValue(name) ? BestValue::Highest : BestValue::None};
}

OwnValues::OwnValues(const std::vector<RunRow>& runs)
    : m_average(runs), m_perplexity(commonMeasure(runs)) {
    for (const std::string& metric : m_average.metrics()) {
        m_averaged.push_back({metric, commonMeasure(runs, metric)});
    }
    m_plainAverage = plainMeasures(runs, m_average.metrics());
    for (const std::string& metric : taskMetrics(runs)) {
        const Measured measured{metric, commonMeasure(runs, metric)};
        m_tasks[metric] = measured;
        if (const std::string key = publishedKey(metric); !key.empty()) {
            m_tasks[key] = measured;
        }
    }
}

ReportCell OwnValues::of(const RunRow& run, const std::string& name) const {
    if (name == kAverage) {
        return cellOf(kPerCent * m_average.of(run), kPerCent * m_average.standardErrorOf(run));
    }
    if (name == kPlainAverage) {
        return cellOf(kPerCent * averageOf(run, m_plainAverage),
                      kPerCent * averageErrorOf(run, m_plainAverage));
    }
    if (name == kThroughput) {
        return cellOf(meanThroughput(run.directory), 0);
    }
    if (isPlainMetric(name)) {
        return cellOf(metricOf(run, name, m_perplexity), 0);
    }
    const auto found = m_tasks.find(name);
    if (found == m_tasks.end()) {
        return {};
    }
    const auto& [metric, measure] = found->second;
    const double unit = isLossName(name) ? 1 : kPerCent;
    return cellOf(unit * metricOf(run, metric, measure),
                  unit * standardErrorOf(run, metric, measure));
}

std::vector<std::string> OwnValues::notes(const std::vector<std::string>& names) const {
    std::vector<std::string> notes;
    if (contains(names, kAverage) && !m_averaged.empty()) {
        std::vector<std::string> tasks;
        for (const auto& [metric, measure] : m_averaged) {
            tasks.push_back(
                fmt::format("{} ({} items)", metric, measure.task ? measure.task->samples : 0));
        }
        notes.push_back(fmt::format("average of own runs: mean of {}", fmt::join(tasks, ", ")));
    }
    if (contains(names, kPlainAverage) && !m_plainAverage.empty()) {
        notes.push_back(
            fmt::format("{} of own runs: mean of acc over the same tasks", kPlainAverage));
    }
    if (contains(names, kThroughput)) {
        notes.emplace_back(
            "throughput of own runs: tokens per second for one user, mean over prompt lengths, on "
            "this machine");
    }
    if (contains(names, "perplexity") && !m_perplexity.label.empty()) {
        notes.push_back(
            fmt::format("perplexity: per token, {}; not comparable to wikitext, for which the "
                        "paper uses lm-eval",
                        inEnglish(m_perplexity.label)));
    }
    return notes;
}

std::string OwnValues::metricNote(const std::string& name, const std::string& title) const {
    const auto found = m_tasks.find(name);
    if (!isMetricOfTask(name) || found == m_tasks.end() || !found->second.measure.task) {
        return {};
    }
    const TaskResultRow& task = *found->second.measure.task;
    return fmt::format("{} of own runs: {} of lm-eval's task {}, {} items", title, task.metric,
                       task.task, task.samples);
}

}  // namespace cospadi
