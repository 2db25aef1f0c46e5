#include "app/cli/run_filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/base/error.h"

namespace cospadi::cli {

namespace {

constexpr const char* kStatuses[] = {"finished", "interrupted", "running",
                                     "paused",   "cancelled",   "failed"};

}  // namespace

std::string sweepTag(const std::string& name) { return "sweep:" + name; }

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
    command
        .add_option("--status", filter.status,
                    fmt::format("Only with this status: {}", fmt::join(kStatuses, ", ")))
        ->check([](const std::string& word) {
            return std::find(std::begin(kStatuses), std::end(kStatuses), word) !=
                           std::end(kStatuses)
                       ? std::string()
                       : fmt::format("'{}' is no status: there are {}", word,
                                     fmt::join(kStatuses, ", "));
        })
        ->group(group);
    command.add_option("--tag", selection.tags, "Only with this tag; given twice, with both")
        ->allow_extra_args(false)
        ->group(group);
    command
        .add_option_function<std::vector<std::string>>(
            "--sweep",
            [&selection](const std::vector<std::string>& names) {
                for (const std::string& name : names) {
                    selection.tags.push_back(sweepTag(name));
                }
            },
            "Only runs of the sweep of this name")
        ->expected(1)
        ->group(group);
    command
        .add_option_function<std::vector<std::string>>(
            "--where",
            [&selection](const std::vector<std::string>& filters) {
                for (const std::string& text : filters) {
                    try {
                        selection.where.push_back(settingFilter(text));
                    } catch (const Error& error) {
                        throw CLI::ValidationError(error.where(), error.problem());
                    }
                }
            },
            "FIELD=VALUE[,VALUE]: only runs with this setting, e.g. calibration.sequences=64; may "
            "be given several times")
        ->allow_extra_args(false)
        ->group(group);
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
