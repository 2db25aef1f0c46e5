#include "core/report/run_selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/base/error.h"
#include "core/methods/method.h"

namespace cospadi {

namespace {

bool isOneOf(double value, const std::vector<double>& values) {
    return values.empty() || std::any_of(values.begin(), values.end(), [value](double wanted) {
               return std::abs(value - wanted) < 1e-9;
           });
}

// Settings, and what else stands in a run itself.
void keepFitting(const std::vector<RunCondition>& conditions, std::vector<RunRow>& runs) {
    std::set<std::string> known;
    std::vector<RunRow> kept;
    for (RunRow& run : runs) {
        const RunFields fields = fieldsOf(run);
        for (const auto& [field, values] : fields) {
            known.insert(field);
        }
        if (std::all_of(conditions.begin(), conditions.end(),
                        [&](const RunCondition& condition) { return fits(condition, fields); })) {
            kept.push_back(std::move(run));
        }
    }
    requireFields(conditions, known);
    runs = std::move(kept);
}

// A metric is compared as tables have it: by the measure that most of the runs have.
Measure measureOf(const std::string& metric, const std::vector<RunRow>& runs) {
    metricFromName(metric);  // throws for a malformed list of tasks
    Measure measure = commonMeasure(runs, metric);
    const bool isKnown = std::any_of(runs.begin(), runs.end(), [&](const RunRow& run) {
        return std::isfinite(metricOf(run, metric, measure));
    });
    if (!isKnown) {
        throw Error("no run has a value of this metric", "--where " + metric,
                    howToMeasure(runs, metric, measure));
    }
    return measure;
}

void keepMeasured(const RunCondition& condition, const Measure& measure,
                  std::vector<RunRow>& runs) {
    std::erase_if(runs, [&](const RunRow& run) {
        const double value = metricOf(run, condition.field, measure);
        RunFields fields;
        if (std::isfinite(value)) {
            fields[condition.field] = {fmt::format("{}", value)};
        }
        return !fits(condition, fields);
    });
}

// What one metric leaves does not change by which measure another one is compared.
void keepWhere(const std::vector<RunCondition>& conditions, std::vector<RunRow>& runs,
               std::optional<Measure>* perplexity) {
    if (conditions.empty() || runs.empty()) {
        return;
    }
    std::vector<RunCondition> ofRuns;
    std::vector<RunCondition> ofMetrics;
    for (const RunCondition& condition : conditions) {
        (isMetric(condition.field) ? ofMetrics : ofRuns).push_back(condition);
    }
    keepFitting(ofRuns, runs);
    if (runs.empty()) {
        return;
    }
    std::map<std::string, Measure> measures;
    for (const RunCondition& condition : ofMetrics) {
        if (!measures.contains(condition.field)) {
            measures.emplace(condition.field, measureOf(condition.field, runs));
        }
    }
    for (const RunCondition& condition : ofMetrics) {
        keepMeasured(condition, measures.at(condition.field), runs);
    }
    if (const auto used = measures.find("perplexity");
        used != measures.end() && perplexity != nullptr) {
        *perplexity = used->second;
    }
}

bool hasTags(const RunRow& run, const std::vector<std::string>& tags) {
    return std::all_of(tags.begin(), tags.end(), [&](const std::string& tag) {
        return std::find(run.tags.begin(), run.tags.end(), tag) != run.tags.end();
    });
}

}  // namespace

std::vector<RunRow> selectedRuns(const RunStore& store, const RunSelection& selection,
                                 std::optional<Measure>* perplexity) {
    RunFilter filter = selection.filter;
    filter.limit = 0;  // after the filters that are applied here
    filter.model.clear();
    filter.multiplications = true;  // a metric, of tables and in `where`
    std::vector<RunRow> runs = store.list(filter);
    std::erase_if(runs, [&](const RunRow& run) {
        const bool fitsRatio = run.method == denseMethod().name() || isOneOf(run.cr, selection.cr);
        return !fitsRatio || !isOneOf(run.rho, selection.rho) ||
               (!selection.layers.empty() && run.layers != selection.layers) ||
               run.model.find(selection.filter.model) == std::string::npos ||
               !hasTags(run, selection.tags);
    });
    keepWhere(selection.where, runs, perplexity);
    if (selection.filter.limit > 0 &&
        runs.size() > static_cast<std::size_t>(selection.filter.limit)) {
        runs.resize(static_cast<std::size_t>(selection.filter.limit));
    }
    return runs;
}

}  // namespace cospadi
