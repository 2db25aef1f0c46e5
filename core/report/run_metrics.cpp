#include "core/report/run_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "core/base/error.h"
#include "core/report/average_accuracy.h"
#include "core/report/global_ratio.h"

namespace cospadi {

namespace {

std::string textIdentity(const EvaluationRow& evaluation) {
    return evaluation.textSha256.empty() ? evaluation.text : evaluation.textSha256;
}

bool isTaskMetric(const std::string& metric) {
    return metric.find('/') != std::string::npos && !isAverageAccuracy(metric);
}

bool isResultOf(const TaskResultRow& row, const std::string& metric) {
    return row.task + "/" + row.metric == metric && std::isfinite(row.value);
}

Measure commonTaskMeasure(const std::vector<RunRow>& runs, const std::string& metric) {
    std::vector<std::pair<int, const TaskResultRow*>> kinds;
    for (const RunRow& run : runs) {
        for (const TaskResultRow& row : run.taskResults) {
            if (!isResultOf(row, metric)) {
                continue;
            }
            const auto known = std::find_if(kinds.begin(), kinds.end(), [&](const auto& kind) {
                return kind.second->measuresSameAs(row);
            });
            known != kinds.end() ? void(++known->first) : void(kinds.emplace_back(1, &row));
        }
    }
    Measure measure;
    const auto most =
        std::max_element(kinds.begin(), kinds.end(), [](const auto& a, const auto& b) {
            return std::pair(a.first, a.second->samples) < std::pair(b.first, b.second->samples);
        });
    if (most != kinds.end()) {
        const TaskResultRow& row = *most->second;
        measure.task = row;
        measure.label =
            Phrase{"version %1, %2 shots, %3 samples",
                   {row.version.empty() ? "?" : row.version,
                    row.shots < 0 ? "?" : std::to_string(row.shots), std::to_string(row.samples)}};
        if (!row.filter.empty() && row.filter != "none") {
            measure.label.more.push_back(Phrase{"filter %1", {row.filter}});
        }
        if (!row.dataSha256.empty()) {
            measure.label.more.push_back(Phrase{"data %1", {row.dataSha256.substr(0, 8)}});
        }
    }
    return measure;
}

Measure commonAverageMeasure(const std::vector<RunRow>& runs, const std::string& metric) {
    Measure measure;
    std::vector<std::string> names;
    for (const std::string& task : tasksOfAverage(metric)) {
        const std::string name = accuracyMetricOf(runs, task);
        const Measure ofTask = commonTaskMeasure(runs, name);
        names.push_back(name);
        measure.tasks.push_back(ofTask.task.value_or(TaskResultRow()));
        measure.tasks.back().task = task;
        if (ofTask.task) {
            names.back() += fmt::format(
                " ({} items, {} shots)", ofTask.task->samples,
                ofTask.task->shots < 0 ? std::string("?") : std::to_string(ofTask.task->shots));
        }
    }
    measure.label = Phrase{"mean of %1", {fmt::format("{}", fmt::join(names, ", "))}};
    return measure;
}

bool measuredAnyway(const RunRow& run, const std::string& metric, const Measure& measure) {
    if (metric == "perplexity") {
        return std::any_of(run.evaluations.begin(), run.evaluations.end(), isPerplexity);
    }
    const auto has = [&](const std::string& name) {
        return std::any_of(run.taskResults.begin(), run.taskResults.end(),
                           [&](const TaskResultRow& row) { return isResultOf(row, name); });
    };
    return measure.tasks.empty() ? has(metric)
                                 : std::all_of(measure.tasks.begin(), measure.tasks.end(),
                                               [&](const TaskResultRow& one) {
                                                   return has(one.task + "/" + one.metric);
                                               });
}

}  // namespace

std::vector<std::string> taskMetrics(const std::vector<RunRow>& runs) {
    std::set<std::string> names;
    for (const RunRow& run : runs) {
        for (const TaskResultRow& row : run.taskResults) {
            if (run.status == "finished" && std::isfinite(row.value)) {
                names.insert(row.task + "/" + row.metric);
            }
        }
    }
    return {names.begin(), names.end()};
}

std::vector<std::string> metricNames() {
    return {"perplexity", "error", kHeldOutError, "bytes",         kMultiplications,
            "seconds",    "ratio", kGlobalRatio,  kAverageAccuracy};
}

bool isMetric(const std::string& name) {
    const std::vector<std::string> names = metricNames();
    return std::find(names.begin(), names.end(), name) != names.end() || isTaskMetric(name) ||
           isAverageAccuracy(name);
}

Metric metricFromName(const std::string& name) {
    if (name == "perplexity") {
        return {name, BestValue::Lowest, ColumnKind::Number, 2};
    }
    if (name == "error" || name == kHeldOutError) {
        return {name, BestValue::Lowest, ColumnKind::Number, 4};
    }
    if (name == "bytes") {
        return {name, BestValue::Lowest, ColumnKind::Bytes, 1};
    }
    if (name == kMultiplications) {
        return {name, BestValue::Lowest, ColumnKind::Number, 0};
    }
    if (name == "seconds") {
        return {name, BestValue::Lowest, ColumnKind::Number, 1};
    }
    if (name == "ratio" || name == kGlobalRatio) {
        return {name, BestValue::Highest, ColumnKind::Number, 4};
    }
    if (isAverageAccuracy(name)) {
        tasksOfAverage(name);
        return {name, BestValue::Highest, ColumnKind::Number, 4};
    }
    if (isTaskMetric(name)) {
        const bool isLoss =
            name.find("perplexity") != std::string::npos || name.ends_with("/bits_per_byte");
        return {name, isLoss ? BestValue::Lowest : BestValue::Highest, ColumnKind::Number, 4};
    }
    throw Error(fmt::format("there is no metric \"{}\"", name), "--metric",
                fmt::format("there are: {}, avg_acc:TASK+TASK, and TASK/METRIC of lm-eval, for "
                            "example piqa/acc_norm",
                            fmt::join(metricNames(), ", ")));
}

std::int64_t measuredOtherwise(const std::vector<RunRow>& runs, const std::string& metric,
                               const Measure& measure) {
    return std::count_if(runs.begin(), runs.end(), [&](const RunRow& run) {
        if (run.status != "finished" || std::isfinite(metricOf(run, metric, measure))) {
            return false;
        }
        return measuredAnyway(run, metric, measure);
    });
}

bool isPerplexity(const EvaluationRow& evaluation) { return evaluation.kind == "perplexity"; }

bool isPerplexityBy(const EvaluationRow& evaluation, const Measure& measure) {
    return isPerplexity(evaluation) && evaluation.context == measure.context &&
           evaluation.maxTokens == measure.maxTokens && evaluation.score == measure.score &&
           textIdentity(evaluation) == measure.text;
}

Measure perplexityMeasure(const EvaluationRow& e) {
    Measure measure{textIdentity(e), {}, e.context, e.maxTokens, e.score, {}, {}};
    measure.label =
        Phrase{"%1, context %2",
               {std::filesystem::path(e.text).filename().string(), std::to_string(e.context)},
               {e.maxTokens > 0 ? Phrase{"first %1 tokens", {std::to_string(e.maxTokens)}}
                                : Phrase{"all tokens"}}};
    if (e.score != "all") {
        measure.label.more.push_back(Phrase{"score %1", {e.score}});
    }
    return measure;
}

Measure commonMeasure(const std::vector<RunRow>& runs, const std::string& metric) {
    if (isAverageAccuracy(metric)) {
        return commonAverageMeasure(runs, metric);
    }
    if (isTaskMetric(metric)) {
        return commonTaskMeasure(runs, metric);
    }
    std::map<std::string, std::pair<int, Measure>> counts;
    for (const RunRow& run : runs) {
        for (const EvaluationRow& e : run.evaluations) {
            if (!isPerplexity(e)) {
                continue;
            }
            const Measure measure = perplexityMeasure(e);
            auto& entry =
                counts[fmt::format("{} {} {} {}", measure.text, e.context, e.maxTokens, e.score)];
            ++entry.first;
            entry.second = measure;
        }
    }
    const auto rank = [](const auto& entry) {
        const auto& [count, measure] = entry.second;
        return std::pair(count, measure.maxTokens == 0 ? std::numeric_limits<std::int64_t>::max()
                                                       : measure.maxTokens);
    };
    const auto most =
        std::max_element(counts.begin(), counts.end(),
                         [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
    return most == counts.end() ? Measure() : most->second.second;
}

std::vector<std::string> perplexityNotes(const std::vector<RunRow>& runs, const Measure& measure) {
    std::vector<std::string> notes;
    if (!measure.label.empty()) {
        notes.push_back("perplexity: " + inEnglish(measure.label));
    }
    if (const auto others = measuredOtherwise(runs, "perplexity", measure); others > 0) {
        notes.push_back(fmt::format(
            "{} runs have only perplexities of other measures: cospadi runs show RUN", others));
    }
    return notes;
}

std::string lackingNote(const std::vector<RunRow>& runs, const Measure& measure) {
    std::set<std::string> missing;
    std::int64_t count = 0;
    for (const RunRow& run : runs) {
        const std::vector<std::string> lacks = missingTasks(run, measure.tasks);
        if (run.status == "finished" && !lacks.empty() && lacks.size() < measure.tasks.size()) {
            missing.insert(lacks.begin(), lacks.end());
            ++count;
        }
    }
    return count == 0
               ? std::string()
               : fmt::format(
                     "{} runs have no average, as {} is missing: cospadi evaluate RUN --tasks {}",
                     count, fmt::join(missing, ", "), fmt::join(missing, ","));
}

std::string howToMeasure(const std::vector<RunRow>& runs, const std::string& metric,
                         const Measure& measure) {
    if (metric == "perplexity") {
        return "measure runs with `cospadi evaluate RUN --perplexity wikitext2`";
    }
    if (isAverageAccuracy(metric)) {
        const std::string lacks = lacksText(runs, measure.tasks);
        return fmt::format("{}measure runs with `cospadi evaluate RUN --tasks {}`",
                           lacks.empty() ? "" : lacks + "; ",
                           fmt::join(tasksOfAverage(metric), ","));
    }
    return isTaskMetric(metric) ? "measure runs with `cospadi lm-eval RUN --tasks …`"
                                : "compress something first, or loosen the filters";
}

double standardErrorOf(const RunRow& run, const std::string& metric, const Measure& measure) {
    if (isAverageAccuracy(metric)) {
        return averageErrorOf(run, measure.tasks);
    }
    for (const TaskResultRow& row : run.taskResults) {
        if (measure.task && isResultOf(row, metric) && row.measuresSameAs(*measure.task)) {
            return std::isfinite(row.standardError) ? row.standardError : 0;
        }
    }
    return 0;
}

double metricOf(const RunRow& run, const std::string& metric, const Measure& measure) {
    if (metric == "perplexity") {
        for (const EvaluationRow& evaluation : run.evaluations) {
            if (isPerplexityBy(evaluation, measure)) {
                return evaluation.perplexity;
            }
        }
        return unknownNumber;
    }
    if (isAverageAccuracy(metric)) {
        return averageOf(run, measure.tasks);
    }
    if (isTaskMetric(metric)) {
        for (const TaskResultRow& row : run.taskResults) {
            if (measure.task && isResultOf(row, metric) && row.measuresSameAs(*measure.task)) {
                return row.value;
            }
        }
        return unknownNumber;
    }
    if (metric == "error") {
        return run.method == "dense" ? unknownNumber : run.relativeError;
    }
    if (metric == kHeldOutError) {
        return run.heldOutError;
    }
    if (metric == "bytes") {
        return run.layerBytes > 0 ? static_cast<double>(run.layerBytes) : unknownNumber;
    }
    if (metric == kMultiplications) {
        return run.multiplications;
    }
    if (metric == kGlobalRatio) {
        return run.method == "dense" ? unknownNumber : globalRatioOf(run).ratio;
    }
    return metric == "ratio" ? run.measuredRatio() : run.seconds;
}

}  // namespace cospadi
