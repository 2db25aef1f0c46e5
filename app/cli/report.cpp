#include "core/report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "app/cli/result_json.h"
#include "app/cli/run_filter.h"
#include "app/cli/session.h"
#include "core/base/error.h"
#include "core/base/shell_word.h"
#include "core/bundle/bundle.h"
#include "core/report/figure_design.h"
#include "core/report/published.h"
#include "core/report/run_metrics.h"
#include "core/report/series.h"
#include "core/report/table_design.h"
#include "core/store/locations.h"
#include "core/tensors/atomic_file.h"

namespace cospadi::cli {

namespace {

struct ReportOptions {
    TableDesign design;
    std::vector<std::string> rows, columns;  // as given; the design's own where empty
    bool noColumns = false;
    std::string metric;
    std::string saved, save, forget;
    std::string format;
    int decimals = -1;
    bool noBest = false;
    bool second = false;
    bool noSecond = false;
    bool noDeviation = false;
    bool directions = false;
    bool standardErrors = false;
    std::string caption, label;
    std::vector<std::string> renamed;  // OLD=NEW
    SeriesOptions series;
    std::string out;
    std::string bundle;
};

std::string presetOf(const ReportOptions& options) {
    const bool pivoted = !options.rows.empty() || !options.columns.empty() || options.noColumns ||
                         !options.metric.empty() || !options.design.published.empty() ||
                         !options.design.beside.empty() || !options.saved.empty();
    return pivoted || !options.design.preset.empty() ? options.design.preset : "demo";
}

// What the flags say, on top of a saved table where one is named.
TableDesign designOf(const ReportOptions& options) {
    TableDesign design = options.design;
    TableLayout& layout = design.layout;
    if (!options.saved.empty()) {
        design = savedTable(savedTablesPath(), options.saved);
    } else {
        design.preset = presetOf(options);
        design.rows = options.rows.empty() ? design.rows : options.rows;
        design.columns = options.noColumns         ? std::vector<std::string>()
                         : options.columns.empty() ? design.columns
                                                   : options.columns;
        design.metric = options.metric.empty() ? design.metric : options.metric;
    }
    if (options.decimals >= 0) {
        layout.decimals = options.decimals;
    }
    if (options.second || options.noSecond) {
        layout.second = options.second;
    }
    layout.best = layout.best && !options.noBest;
    layout.directions = layout.directions || options.directions;
    layout.deviations = layout.deviations && !options.noDeviation;
    layout.standardErrors = layout.standardErrors || options.standardErrors;
    layout.caption = options.caption.empty() ? layout.caption : options.caption;
    layout.label = options.label.empty() ? layout.label : options.label;
    for (const std::string& pair : options.renamed) {
        const std::size_t sign = pair.find('=');
        if (sign == std::string::npos || sign == 0) {
            throw UsageError("\"" + pair + "\" renames nothing", "--rename",
                             "write OLD=NEW, for example --rename 'cospadi (fast)=CoSpaDi'");
        }
        layout.renamed[pair.substr(0, sign)] = pair.substr(sign + 1);
    }
    return design;
}

// What the flags of a series say, as a figure that is drawn again.
FigureDesign figureOf(const ReportOptions& options) {
    FigureDesign design;
    design.name = options.save;
    design.chart = options.series.kind;
    design.axes = options.series.axes;
    design.axes.y = options.series.metric;
    design.matrix = options.series.matrix;
    design.runs = options.design.runs;
    return design;
}

// A saved figure is a series whose flags were saved.
ReportOptions withSavedFigure(ReportOptions options) {
    if (const auto figure = findSavedFigure(savedFiguresPath(), options.saved)) {
        if (!options.bundle.empty()) {
            throw UsageError("is a figure, and --bundle repeats tables", options.saved,
                             "bundle a table of the same runs; --out writes the figure's data");
        }
        options.series = seriesOf(*figure);
        options.design.runs = figure->runs;
        options.saved.clear();
    }
    return options;
}

ReportTable requestedTable(const ReportOptions& options) {
    if (!options.series.kind.empty()) {
        const RunStore store = RunStore::openForReading(storePath());
        SeriesOptions shape = options.series;
        shape.iterations = [&store](const RunRow& run) { return store.iterations(run.id); };
        ReportTable table = series(selectedRuns(store, options.design.runs), shape);
        TableLayout layout;
        layout.decimals = options.decimals >= 0 ? std::optional(options.decimals) : std::nullopt;
        applyLayout(table, layout);
        return table;
    }
    const TableDesign design = designOf(options);
    ReportTable table = !design.published.empty()  // needs no store
                            ? tableOf(publishedTable(design.published))
                            : plainTable(RunStore::openForReading(storePath()), design);
    // A saved table outlives the runs it was made with; what is typed is meant now.
    const std::vector<std::string> unknown =
        options.saved.empty() ? unknownLabels(table, design.layout) : std::vector<std::string>();
    if (!unknown.empty()) {
        std::vector<std::string> known = rowLabels(table);
        for (const ReportColumn& column : table.columns) {
            known.push_back(column.name);
        }
        throw Error("the table has no row or column of this name", unknown.front(),
                    fmt::format("there are: {}", fmt::join(known, "; ")));
    }
    applyLayout(table, design.layout);
    return table;
}

// As asked for, else as the file's name ends, else lines for a terminal.
ReportFormat formatOf(const ReportOptions& options) {
    if (!options.format.empty()) {
        return reportFormatFromName(options.format);
    }
    const std::string suffix = std::filesystem::path(options.out).extension().string();
    for (const char* known : {".csv", ".md", ".tex"}) {
        if (suffix == known) {
            return reportFormatFromName(suffix.substr(1));
        }
    }
    return options.series.kind.empty() ? ReportFormat::Terminal : ReportFormat::Csv;
}

// The folder that repeats the table: of all finished runs that it was chosen from.
int bundleTable(const Session& session, const ReportOptions& options, const ReportTable& table) {
    const RunStore store = RunStore::openForReading(storePath());
    const TableDesign design = designOf(options);
    std::vector<RunRow> runs = selectedRuns(store, design.runs);
    std::erase_if(runs, [](const RunRow& run) { return run.status != "finished"; });
    writeBundle(options.bundle, {table, reportArguments(design), runs}, store);
    session.print(
        fmt::format("{}: the table, its {}, and what repeats them: cospadi reproduce {}\n",
                    options.bundle, counted(static_cast<std::int64_t>(runs.size()), "run"),
                    shellWord(options.bundle)),
        {{"path", options.bundle}, {"runs", runs.size()}});
    return kOk;
}

// By the name that --save gives.
void save(const ReportOptions& options) {
    if (!options.series.kind.empty()) {
        saveFigure(savedFiguresPath(), figureOf(options));
        return;
    }
    TableDesign design = designOf(options);
    design.name = options.save;
    saveTable(savedTablesPath(), design);
}

int report(const Session& session, const ReportOptions& given) {
    const ReportOptions options = withSavedFigure(given);
    if (!options.forget.empty()) {
        if (findSavedFigure(savedFiguresPath(), options.forget)) {
            forgetFigure(savedFiguresPath(), options.forget);
        } else {
            forgetTable(savedTablesPath(), options.forget);
        }
        session.print(fmt::format("{} is forgotten\n", options.forget),
                      {{"forgotten", options.forget}});
        return kOk;
    }
    const ReportFormat format = asUsage([&] {
        if (!options.metric.empty()) {
            metricFromName(options.metric);
        }
        if (!options.series.kind.empty()) {
            requireSeriesKind(options.series.kind);
        }
        if (options.series.axes != AblationAxes() && options.series.kind != "ablation") {
            throw Error("--x, --curve and --facet are of one series alone", "--series",
                        "add --series ablation");
        }
        return formatOf(options);
    });
    const ReportTable table = requestedTable(options);  // what cannot be made is not saved
    if (!options.save.empty()) {
        save(options);
    }
    if (!options.bundle.empty()) {
        return bundleTable(session, options, table);
    }
    const std::string text = render(table, format);
    const nlohmann::json rows = rowsJson(table);
    if (!options.out.empty()) {
        writeFileAtomically(options.out, text);
        session.print(options.out + "\n", {{"path", options.out}, {"rows", rows}});
        return kOk;
    }
    session.print(text, {{"preset", presetOf(options)}, {"rows", rows}, {"notes", table.notes}});
    return kOk;
}

// How the table is laid out; returns those that a saved table has of its own.
std::vector<Argument> addLayoutFlags(Command command, ReportOptions& o) {
    const std::string group = "Layout";
    command.addOption("--decimals", o.decimals, "Digits after the point (not in CSV)")
        .inRange(0, 17)
        .group(group);
    command.addFlag("--no-best", o.noBest, "Do not set the best values bold").group(group);
    const Argument second =
        command.addFlag("--underline-second", o.second, "Underline the second best values")
            .group(group);
    command.addFlag("--no-second", o.noSecond, "Do not, where a table does")
        .excludes(second)
        .group(group);
    command
        .addFlag("--directions", o.directions,
                 "Headings say which way is better: perplexity ↓, accuracy ↑")
        .group(group);
    command.addFlag("--no-deviation", o.noDeviation, "Means without ± and the number of seeds")
        .group(group);
    command
        .addFlag("--standard-errors", o.standardErrors,
                 "Tasks: the standard error over their items in brackets, where one run stands in "
                 "a cell")
        .group(group);
    command
        .addOption("--caption", o.caption,
                   "LaTeX: a floating table with this caption, its notes printed below it")
        .group(group);
    command.addOption("--label", o.label, "LaTeX: the label to refer to it by").group(group);
    TableLayout& layout = o.design.layout;
    std::vector<Argument> byHand = {
        command
            .addOption("--row-order", layout.rowOrder,
                       "Rows by their labels, first to last: 'dense;cospadi (fast)'; others "
                       "follow")
            .delimiter(';'),
        command
            .addOption("--column-order", layout.columnOrder,
                       "Columns by their headings: 'cr 0.4;cr 0.2'")
            .delimiter(';'),
        command.addOption("--hide", layout.hidden, "Rows or columns to leave out").delimiter(';'),
        command.addOption("--rename", o.renamed, "OLD=NEW: what a heading or text shall read")};
    for (const Argument option : byHand) {
        option.oneWordEach().group(group);
    }
    return byHand;
}

}  // namespace

void addReport(Command app, Session& session) {
    const Command command = app.addCommand("report", "Tables of stored results, and charts' data");
    auto options = std::make_shared<ReportOptions>();
    ReportOptions& o = *options;
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
    const Argument rows =
        list("--rows", o.rows,
             "Settings down: method, solver, cr, rho, iterations, seed, layers, model, or "
             "any field of a specification [method]");
    const Argument columns = list("--columns", o.columns, "Settings across [cr]");
    command.addFlag("--no-columns", o.noColumns, "Nothing across: one column of values")
        .excludes(columns);
    const Argument metric =
        command.addOption("--metric", o.metric,
                          fmt::format("One of {}, or TASK/METRIC of lm-eval, e.g. piqa/acc_norm; "
                                      "avg_acc is the mean of the paper's eight tasks, "
                                      "avg_acc:piqa+sciq of these [perplexity]",
                                      fmt::join(metricNames(), ", ")));
    const Argument kind = command.addOption(
        "--series", o.series.kind,
        fmt::format("A chart's data in long form: {}", fmt::join(seriesKinds(), ", ")));
    AblationAxes& axes = o.series.axes;
    command.addOption("--x", axes.x,
                      "ablation: along x, a setting or a measured value, e.g. rho or bytes [cr]");
    command.addOption("--curve", axes.curve, "ablation: a curve for each value of this setting");
    command.addOption("--facet", axes.facet,
                      "ablation: a plot for each value of this setting, too");
    command.addOption("--matrix", o.series.matrix,
                      "error-iteration: only matrices whose name contains this");
    command.addOption("--format", o.format,
                      "table, csv, md or latex [as --out ends; else table, csv for a series]");
    const std::vector<Argument> byHand = addLayoutFlags(command, o);
    const Argument beside =
        list("--beside", o.design.beside,
             "Tables of the paper, by number or name, whose rows stand below one's own");
    const Argument saved =
        command.addOption("--saved", o.saved,
                          "A table or figure that was saved by this name, with its choice of runs");
    command.addOption("--save", o.save,
                      "Save the table's design, or with --series the figure, by this name");
    command.addOption("--forget", o.forget, "Remove a saved table or figure");
    const Argument out =
        command.addOption("--out", o.out, "Write to this file instead of printing");
    const Argument bundle = command.addOption(
        "--bundle", o.bundle,
        "A new folder with the table, its runs without matrices, commands, hashes and results, "
        "which `reproduce FOLDER` makes again and compares elsewhere");
    bundle.excludes(kind).excludes(out);
    const std::vector<Argument> filters = addRunFilters(command, o.design.runs);
    const Argument published =
        command.addOption("--published", o.design.published,
                          "A table of the paper as printed, by number or name, e.g. main-results");
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
    for (const Argument option : byHand) {
        saved.excludes(option);
        kind.excludes(option);
    }
    beside.excludes(preset).excludes(kind);
    preset.excludes(rows).excludes(columns).excludes(metric).excludes(kind);
    kind.excludes(rows).excludes(columns);
    finishCommand(command, session, [&session, options] {
        if (!options->series.kind.empty() && !options->metric.empty()) {
            options->series.metric = options->metric;
        }
        return report(session, *options);
    });
}

}  // namespace cospadi::cli
