#include "app/cli/run_filter.h"

#include <algorithm>
#include <cmath>

namespace cospadi::cli {

namespace {

bool isOneOf(double value, const std::vector<double>& values) {
    return values.empty() || std::any_of(values.begin(), values.end(), [value](double wanted) {
               return std::abs(value - wanted) < 1e-9;
           });
}

}  // namespace

void addRunFilters(CLI::App& command, RunSelection& selection) {
    RunFilter& filter = selection.filter;
    const std::string group = "Which runs";
    command.add_option("--method", filter.method, "Only this method")->group(group);
    command.add_option("--solver", filter.solver, "Only this solver")->group(group);
    command.add_option("--cr", selection.cr, "Only these compression ratios")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->group(group);
    command.add_option("--rho", selection.rho, "Only these ρ")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->group(group);
    command.add_option("--layers", selection.layers, "Only runs of exactly this expression")
        ->group(group);
    command.add_option("--model", filter.model, "Only this model: its path, or a part of it")
        ->group(group);
    command.add_option("--status", filter.status, "finished, interrupted, running, failed, …")
        ->group(group);
    command.add_option("--tag", filter.tag, "Only with this tag")->group(group);
    command
        .add_option("--search", filter.text,
                    "Only where this occurs in id, model, method, layers, a tag or a note")
        ->group(group);
    command.add_flag("--starred", filter.starredOnly, "Only starred runs")->group(group);
    command.add_flag("--archived", filter.includeArchived, "Archived runs too")->group(group);
    command.add_option("--limit", filter.limit, "Only the newest N")
        ->check(CLI::NonNegativeNumber)
        ->group(group);
}

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

}  // namespace cospadi::cli
