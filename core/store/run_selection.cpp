#include "core/store/run_selection.h"

#include <algorithm>
#include <cmath>

namespace cospadi {

namespace {

bool isOneOf(double value, const std::vector<double>& values) {
    return values.empty() || std::any_of(values.begin(), values.end(), [value](double wanted) {
               return std::abs(value - wanted) < 1e-9;
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
               run.model.find(selection.filter.model) == std::string::npos;
    });
    if (selection.filter.limit > 0 &&
        runs.size() > static_cast<std::size_t>(selection.filter.limit)) {
        runs.resize(static_cast<std::size_t>(selection.filter.limit));
    }
    return runs;
}

}  // namespace cospadi
