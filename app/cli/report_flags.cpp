#include "app/cli/report_flags.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>

#include "app/cli/run_filter.h"
#include "app/cli/session.h"
#include "core/report/report.h"
#include "core/report/run_metrics.h"
#include "core/store/locations.h"

namespace cospadi::cli {

namespace {

// How the table is laid out; returns those that a saved table has of its own.
std::vector<Argument> addLayoutFlags(Command command, ReportFlags& o) {
    const std::string group = "Layout";
    command.addOption("--decimals", o.decimals, "Digits after the decimal point (not in CSV)")
        .inRange(0, 17)
        .group(group);
    const Argument best =
        command.addFlag("--no-best", o.noBest, "Do not print the best values in bold");
    const Argument second =
        command.addFlag("--underline-second", o.second, "Underline the second-best values");
    o.ofTables = {
        best,
        second,
        command
            .addFlag("--no-second", o.noSecond,
                     "Do not underline, even if the table's default does")
            .excludes(second),
        command.addFlag("--directions", o.directions,
                        "Mark in headings which direction is better: perplexity ↓, accuracy ↑"),
        command.addFlag("--no-deviation", o.noDeviation, "Means without ± and the number of seeds"),
        command.addFlag(
            "--standard-errors", o.standardErrors,
            "Tasks: standard error over the items in brackets, in cells of a single run")};
    for (const Argument option : o.ofTables) {
        option.group(group);
    }
    command
        .addOption("--caption", o.caption,
                   "LaTeX: a floating table with this caption, its notes printed below it")
        .group(group);
    command.addOption("--label", o.label, "LaTeX: label for references to the table").group(group);
    TableLayout& layout = o.design.layout;
    std::vector<Argument> byHand = {
        command
            .addOption("--row-order", layout.rowOrder,
                       "Order of rows by label: 'dense;cospadi (fast)'; others follow")
            .delimiter(';'),
        command
            .addOption("--column-order", layout.columnOrder,
                       "Order of columns by heading: 'cr 0.4;cr 0.2'")
            .delimiter(';'),
        command.addOption("--hide", layout.hidden, "Rows or columns to leave out").delimiter(';'),
        command.addOption("--rename", o.renamed, "OLD=NEW: replaces a heading or label")};
    for (const Argument option : byHand) {
        option.oneWordEach().group(group);
    }
    return byHand;
}

}  // namespace

std::string presetOf(const ReportFlags& flags) {
    const bool pivoted = !flags.rows.empty() || !flags.columns.empty() || flags.noColumns ||
                         !flags.metric.empty() || !flags.design.published.empty() ||
                         !flags.design.beside.empty() || !flags.saved.empty();
    const bool named = pivoted || !flags.series.kind.empty() || !flags.design.preset.empty();
    return named ? flags.design.preset : "demo";
}

TableLayout layoutOf(const ReportFlags& flags, TableLayout layout) {
    if (flags.decimals >= 0) {
        layout.decimals = flags.decimals;
    }
    if (flags.second || flags.noSecond) {
        layout.second = flags.second;
    }
    layout.best = layout.best && !flags.noBest;
    layout.directions = layout.directions || flags.directions;
    layout.deviations = layout.deviations && !flags.noDeviation;
    layout.standardErrors = layout.standardErrors || flags.standardErrors;
    layout.caption = flags.caption.empty() ? layout.caption : flags.caption;
    layout.label = flags.label.empty() ? layout.label : flags.label;
    for (const std::string& pair : flags.renamed) {
        const std::size_t sign = pair.find('=');
        if (sign == std::string::npos || sign == 0) {
            throw UsageError("\"" + pair + "\" is not a renaming", "--rename",
                             "write OLD=NEW, for example --rename 'cospadi (fast)=CoSpaDi'");
        }
        layout.renamed[pair.substr(0, sign)] = pair.substr(sign + 1);
    }
    return layout;
}

TableDesign designOf(const ReportFlags& flags) {
    TableDesign design = flags.design;
    if (!flags.saved.empty()) {
        design = savedTable(savedTablesPath(), flags.saved);
    } else {
        design.preset = presetOf(flags);
        design.rows = flags.rows.empty() ? design.rows : flags.rows;
        design.columns = flags.noColumns         ? std::vector<std::string>()
                         : flags.columns.empty() ? design.columns
                                                 : flags.columns;
        design.metric = flags.metric.empty() ? design.metric : flags.metric;
    }
    design.layout = layoutOf(flags, design.layout);
    return design;
}

FigureDesign figureOf(const ReportFlags& flags) {
    FigureDesign design;
    design.name = flags.save;
    design.chart = flags.series.kind;
    design.axes = flags.series.axes;
    design.axes.y = flags.series.metric;
    design.matrix = flags.series.matrix;
    design.runs = flags.design.runs;
    return design;
}

void addReportFlags(Command command, ReportFlags& o) {
    std::string presets;
    for (const ReportPreset& p : reportPresets()) {
        presets += fmt::format("{}{}: {}", presets.empty() ? "" : "; ", p.name, p.description);
    }
    const Argument preset =
        command.addOption("--preset", o.design.preset, presets + " [demo]")
            .check([](const std::string& word) {
                const auto& known = reportPresets();
                return std::any_of(known.begin(), known.end(),
                                   [&](const ReportPreset& p) { return p.name == word; })
                           ? std::string()
                           : "there is no preset \"" + word + "\"";
            });
    const auto list = [command](const char* flag, std::vector<std::string>& values,
                                const char* help) {
        return command.addOption(flag, values, help).delimiter(',').oneWordEach();
    };
    const Argument rows = list("--rows", o.rows,
                               "Settings for the rows: method, solver, cr, rho, iterations, seed, "
                               "layers, model, or any field of a specification [method]");
    const Argument columns = list("--columns", o.columns, "Settings for the columns [cr]");
    command
        .addFlag("--no-columns", o.noColumns, "No settings in columns: a single column of values")
        .excludes(columns);
    const Argument metric = command.addOption(
        "--metric", o.metric,
        fmt::format(
            "One of {}, or TASK/METRIC of lm-eval, e.g. piqa/acc_norm; avg_acc is the mean over "
            "the paper's eight tasks, avg_acc:piqa+sciq that over these two [perplexity]",
            fmt::join(metricNames(), ", ")));
    const Argument kind = command.addOption(
        "--series", o.series.kind,
        fmt::format("Data of a chart in long form: {}", fmt::join(seriesKinds(), ", ")));
    AblationAxes& axes = o.series.axes;
    const std::vector<Argument> ofSeries = {
        command.addOption(
            "--x", axes.x,
            "ablation: setting or measured value on the x-axis, e.g. rho or bytes [cr]"),
        command.addOption("--curve", axes.curve, "ablation: one curve per value of this setting"),
        command.addOption("--facet", axes.facet, "ablation: one plot per value of this setting"),
        command.addOption(
            "--matrix", o.series.matrix,
            "error-iteration, mean-error-iteration: only matrices whose name contains this")};
    command.addOption(
        "--format", o.format,
        "table, csv, md or latex [by the extension of --out; else table, or csv for a series]");
    const std::vector<Argument> byHand = addLayoutFlags(command, o);
    const Argument beside =
        list("--beside", o.design.beside,
             "Tables of the paper, by number or name, whose rows are printed below your own");
    const Argument saved = command.addOption(
        "--saved", o.saved,
        "Print the table or figure saved under this name, with its selection of runs");
    command.addOption("--save", o.save,
                      "Save the table's design, or with --series the figure, under this name");
    command.addOption("--forget", o.forget, "Remove a saved table or figure");
    const Argument out =
        command.addOption("--out", o.out, "Write to this file instead of printing");
    const Argument bundle = command.addOption(
        "--bundle", o.bundle,
        "Write a new folder with the table or figure, its runs without matrices, commands, hashes "
        "and results; `reproduce FOLDER` repeats and compares them elsewhere");
    bundle.excludes(out);
    const std::vector<Argument> filters = addRunFilters(command, o.design.runs);
    const Argument published = command.addOption(
        "--published", o.design.published,
        "Print a table of the paper as published, by number or name, e.g. main-results");
    published.excludes(rows)
        .excludes(columns)
        .excludes(metric)
        .excludes(kind)
        .excludes(preset)
        .excludes(beside)
        .excludes(bundle)
        .excludes(saved);
    for (const Argument option : filters) {
        saved.excludes(option);      // it has runs of its own
        published.excludes(option);  // and this one has none
    }
    for (const Argument option : {rows, columns, metric, kind, preset, beside}) {
        saved.excludes(option);
    }
    for (const Argument option : ofSeries) {
        saved.excludes(option);
    }
    for (const Argument option : byHand) {
        saved.excludes(option);
        kind.excludes(option);
    }
    beside.excludes(preset).excludes(kind);
    preset.excludes(rows).excludes(columns).excludes(metric).excludes(kind);
    kind.excludes(rows).excludes(columns);
}

}  // namespace cospadi::cli
