#include "app/cli/run_filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/base/error.h"

namespace cospadi::cli {

namespace {

constexpr const char* kStatuses[] = {"finished", "interrupted", "running",
                                     "paused",   "cancelled",   "failed"};

std::string statusProblem(const std::string& word) {
    return std::find(std::begin(kStatuses), std::end(kStatuses), word) != std::end(kStatuses)
               ? std::string()
               : fmt::format("'{}' is not a status; use {}", word, fmt::join(kStatuses, ", "));
}

std::vector<RunCondition> conditionsOf(const std::string& text) {
    std::vector<RunCondition> conditions;
    try {
        conditions = conditionsIn(text);
    } catch (const Error& error) {
        throw WrongValue("--where " + error.where(), error.problem());
    }
    for (const RunCondition& condition : conditions) {
        if (condition.field.empty()) {  // --search is for words
            throw WrongValue("--where " + condition.values.front(),
                             "is not FIELD=VALUE[,VALUE], FIELD>=NUMBER or FIELD:PART");
        }
    }
    return conditions;
}

}  // namespace

std::string sweepTag(const std::string& name) { return kSweepTag + name; }

std::vector<Argument> addRunFilters(Command command, RunSelection& selection) {
    RunFilter& filter = selection.filter;
    std::vector<Argument> filters = {
        command.addOption("--method", filter.method, "Only this method"),
        command.addOption("--solver", filter.solver, "Only this solver"),
        command.addOption("--cr", selection.cr, "Only these compression ratios, and dense runs")
            .delimiter(',')
            .oneWordEach(),
        command
            .addOption("--rho", selection.rho,
                       "Only these values of ρ, among methods that have one")
            .delimiter(',')
            .oneWordEach(),
        command.addOption("--layers", selection.layers,
                          "Only runs with exactly this regular expression of layers"),
        command.addOption("--model", filter.model, "Only this model: its path or a part of it"),
        command
            .addOption("--status", filter.status,
                       fmt::format("Only with this status: {}", fmt::join(kStatuses, ", ")))
            .check(statusProblem),
        command
            .addOption("--tag", selection.tags, "Only with this tag; if repeated, with all of them")
            .oneWordEach(),
        command
            .addOption(
                "--sweep",
                [&selection](const std::vector<std::string>& names) {
                    for (const std::string& name : names) {
                        selection.tags.push_back(sweepTag(name));
                    }
                },
                "Only runs of the sweep with this name")
            .expected(1),
        command
            .addOption(
                "--where",
                [&selection](const std::vector<std::string>& texts) {
                    for (const std::string& text : texts) {
                        for (RunCondition& condition : conditionsOf(text)) {
                            selection.where.push_back(std::move(condition));
                        }
                    }
                },
                "FIELD=VALUE[,VALUE], also != < <= > >= and : (contains): only runs whose settings "
                "or metrics satisfy this, e.g. 'rho>=2 calibration.sequences=64 method:ksvd'; may "
                "be given several times")
            .oneWordEach(),
        command.addOption("--search", filter.text,
                          "Only runs with this text in id, model, method, layers, a tag or a note"),
        command.addFlag("--starred", filter.starredOnly, "Only starred runs"),
        command.addFlag("--archived", filter.includeArchived, "Include archived runs"),
        command.addOption("--limit", filter.limit, "Only the newest N").notNegative()};
    for (const Argument option : filters) {
        option.group("Selection of runs");
    }
    return filters;
}

}  // namespace cospadi::cli
