#include "core/report/run_selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/base/error.h"
#include "core/methods/method.h"
#include "core/report/run_metrics.h"

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
void keepMeasured(const RunCondition& condition, std::vector<RunRow>& runs) {
    metricFromName(condition.field);  // throws for a malformed list of tasks
    const Measure measure = commonMeasure(runs, condition.field);
    bool isKnown = false;
    std::vector<RunRow> kept;
    for (const RunRow& run : runs) {
        const double value = metricOf(run, condition.field, measure);
        RunFields fields;
        if (std::isfinite(value)) {
            isKnown = true;
            fields[condition.field] = {fmt::format("{}", value)};
        }
        if (fits(condition, fields)) {
            kept.push_back(run);
        }
    }
    if (!isKnown) {
        throw Error("no run has a value of this metric", "--where " + condition.field,
                    howToMeasure(runs, condition.field, measure));
    }
    runs = std::move(kept);
}

void keepWhere(const std::vector<RunCondition>& conditions, std::vector<RunRow>& runs) {
    if (conditions.empty() || runs.empty()) {
        return;
    }
    std::vector<RunCondition> ofRuns;
    std::vector<RunCondition> ofMetrics;
    for (const RunCondition& condition : conditions) {
        (isMetric(condition.field) ? ofMetrics : ofRuns).push_back(condition);
    }
    keepFitting(ofRuns, runs);
    for (const RunCondition& condition : ofMetrics) {
        if (!runs.empty()) {
            keepMeasured(condition, runs);
        }
    }
}

bool hasTags(const RunRow& run, const std::vector<std::string>& tags) {
    return std::all_of(tags.begin(), tags.end(), [&](const std::string& tag) {
        return std::find(run.tags.begin(), run.tags.end(), tag) != run.tags.end();
    });
}

}  // namespace

std::vector<RunRow> selectedRuns(const RunStore& store, const RunSelection& selection) {
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
    keepWhere(selection.where, runs);
    if (selection.filter.limit > 0 &&
        runs.size() > static_cast<std::size_t>(selection.filter.limit)) {
        runs.resize(static_cast<std::size_t>(selection.filter.limit));
    }
    return runs;
}

}  // namespace cospadi
