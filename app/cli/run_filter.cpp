#include "app/cli/run_filter.h"

namespace cospadi::cli {

void addRunFilters(CLI::App& command, RunSelection& selection) {
    RunFilter& filter = selection.filter;
    const std::string group = kRunFilters;
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

}  // namespace cospadi::cli
