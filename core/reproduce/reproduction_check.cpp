#include "core/reproduce/reproduction_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/base/error.h"
#include "core/report/published.h"
#include "core/report/report.h"
#include "core/reproduce/own_values.h"
#include "core/tasks/task_items.h"

namespace cospadi {

namespace {

constexpr const char* kSeeEntries = "see docs/reproduce.md";

bool hasName(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

void requireText(const std::string& text, const char* field) {
    if (text.empty()) {
        throw Error("is missing", field, kSeeEntries);
    }
}

void requirePublished(const Reproduction& entry) {
    std::set<std::string> methods;
    for (const std::string& name : entry.published) {
        for (const PublishedRow& row : publishedTable(name).rows) {
            methods.insert(row.methodText);
        }
    }
    for (const StayingRows& staying : entry.staying) {
        requireText(staying.why, "stays_published.why");
        for (const std::string& row : staying.rows) {
            if (!methods.contains(row)) {
                throw Error(fmt::format("no row of the published tables is \"{}\"", row),
                            "stays_published.rows",
                            fmt::format("there are: {}", fmt::join(methods, ", ")));
            }
        }
    }
}

// Which tasks lm-eval has it says itself, when they are about to be asked.
void requireTasks(const TaskPlan& plan, const std::string& field) {
    if (!plan.data.empty()) {
        throw Error("cannot be set in an entry", field + ".data",
                    "omit it; the folder is given by --data");
    }
    if (plan.tasks.empty()) {
        return;
    }
    try {
        plan.validate();
    } catch (const Error& error) {
        throw Error(error.problem(), fmt::format("{}: {}", field, error.where()), error.hint());
    }
    const std::vector<std::string> known = nativeTaskNames();
    for (const std::string& task : plan.tasks) {
        if (plan.by == TasksBy::Native && !hasName(known, task)) {
            throw Error(fmt::format("there is no built-in task {}", task), field,
                        fmt::format("there are: {}; use `by: lm-eval` for those of lm-eval",
                                    fmt::join(known, ", ")));
        }
    }
}

// Of a task's metric, that the task is asked, or is a part of a group that is.
void requireAsked(const TaskPlan& plan, const ValueColumn& column) {
    const std::string task = column.own.substr(0, column.own.find('/'));
    const bool isAsked = task == column.own ||
                         std::any_of(plan.tasks.begin(), plan.tasks.end(), [&](const auto& one) {
                             return task == one || task.starts_with(one + "_");
                         });
    if (!isAsked) {
        throw Error(fmt::format("{} is not one of the evaluated tasks", task), "outputs.values",
                    fmt::format("there are: {}", fmt::join(plan.tasks, ", ")));
    }
}

void requireProtocol(const Protocol& protocol, const char* field) {
    if (!protocol.sweep.grid.is_null()) {
        // With the model `default`, which is not looked at.
        const std::vector<RunSpecification> runs = expandGrid(protocol.sweep.grid);
        if (!protocol.derive.of.empty() &&
            std::none_of(runs.begin(), runs.end(),
                         [&](const RunSpecification& run) { return protocol.derive.areOf(run); })) {
            throw Error("no run of the grid has these settings", std::string(field) + ".derive.of",
                        kSeeEntries);
        }
    }
    requireTasks(protocol.tasks, std::string(field) + ".tasks");
    if (!protocol.sweep.evaluate.text.empty()) {
        protocol.sweep.evaluate.options.validate();
    }
}

void requirePreset(const std::string& preset) {
    std::vector<std::string> known;
    for (const ReportPreset& one : reportPresets()) {
        known.push_back(one.name);
    }
    if (!hasName(known, preset)) {
        throw Error(fmt::format("there is no report preset \"{}\"", preset), "outputs.preset",
                    fmt::format("there are: {}", fmt::join(known, ", ")));
    }
}

void requireFigure(const ReproducedOutput& output) {
    const FigureShape& figure = *output.figure;
    const auto isValue = [&](const std::string& title) {
        return std::any_of(output.values.begin(), output.values.end(),
                           [&](const ValueColumn& column) { return column.title == title; });
    };
    const auto require = [&](bool there, const std::string& word, const char* field,
                             const char* what) {
        if (!there) {
            throw Error(fmt::format("\"{}\" is not one of the output's {}", word, what), field,
                        kSeeEntries);
        }
    };
    require(hasName(output.rows, figure.x), figure.x, "figure.x", "rows");
    for (const std::string& y : figure.y) {
        require(isValue(y), y, "figure.y", "values");
    }
    for (const std::string& y : figure.logY) {
        require(hasName(figure.y, y), y, "figure.log_y", "figure.y");
    }
    for (const std::string& curve : figure.curves) {
        require(hasName(output.rows, curve), curve, "figure.curves", "rows");
    }
}

void requireComparison(const Reproduction& entry, const ReproducedOutput& output) {
    if (output.rows.empty() || output.values.empty()) {
        throw Error("has neither rows and values, nor a preset", "outputs", kSeeEntries);
    }
    std::set<std::string> keys;
    for (const std::string& name : entry.published) {
        const PublishedTable table = publishedTable(name);
        keys.insert(table.keys.begin(), table.keys.end());
    }
    for (const ValueColumn& column : output.values) {
        const bool isOwn = isOwnValue(column.own);
        if (!isOwn && !keys.contains(column.published)) {
            throw Error(fmt::format("\"{}\" is neither a metric nor a column of the paper's tables",
                                    column.title),
                        "outputs.values",
                        fmt::format("the paper's columns are: {}", fmt::join(keys, ", ")));
        }
        requireAsked(entry.full.tasks, column);
    }
    if (output.figure) {
        requireFigure(output);
    }
}

}  // namespace

void requireSound(const Reproduction& entry) {
    requireText(entry.number, "number");
    requireText(entry.shows, "shows");
    if (!entry.label.starts_with("tab:") && !entry.label.starts_with("fig:")) {
        throw Error("is not a label of the paper, tab:… or fig:…", "label", kSeeEntries);
    }
    requirePublished(entry);
    requireProtocol(entry.full, "protocol");
    requireProtocol(entry.overnight, name(ProtocolSize::Overnight));
    requireProtocol(entry.quick, name(ProtocolSize::Quick));
    std::set<std::string> names;
    for (const ReproducedOutput& output : entry.outputs) {
        if (!names.insert(output.name).second) {
            throw Error("two outputs have the same name", "outputs.name", kSeeEntries);
        }
        if (output.kind == ReproducedOutput::Kind::Comparison) {
            requireComparison(entry, output);
        } else if (output.kind == ReproducedOutput::Kind::Preset && entry.unavailable.empty()) {
            requirePreset(output.preset);
        }
    }
    const bool needsRuns =
        std::any_of(entry.outputs.begin(), entry.outputs.end(), [](const ReproducedOutput& output) {
            return output.kind != ReproducedOutput::Kind::Settings;
        });
    if (entry.unavailable.empty() && entry.outputs.empty()) {
        throw Error("are missing", "outputs", kSeeEntries);
    }
    const bool lacksGrid =
        std::any_of(kProtocolSizes.begin(), kProtocolSizes.end(),
                    [&](ProtocolSize size) { return entry.protocol(size).sweep.grid.is_null(); });
    if (entry.unavailable.empty() && needsRuns && lacksGrid) {
        throw Error("is missing", "protocol.grid", kSeeEntries);
    }
}

}  // namespace cospadi
