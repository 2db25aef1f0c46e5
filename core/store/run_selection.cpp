#include "core/store/run_selection.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace cospadi {

namespace {

bool isOneOf(double value, const std::vector<double>& values) {
    return values.empty() || std::any_of(values.begin(), values.end(), [value](double wanted) {
               return std::abs(value - wanted) < 1e-9;
           });
}

void keepWhere(const std::vector<RunCondition>& conditions, std::vector<RunRow>& runs) {
    if (conditions.empty() || runs.empty()) {
        return;
    }
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
    std::vector<RunRow> runs = store.list(filter);
    std::erase_if(runs, [&](const RunRow& run) {
        return !isOneOf(run.cr, selection.cr) || !isOneOf(run.rho, selection.rho) ||
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
