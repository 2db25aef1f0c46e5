#include "core/report/report.h"

#include <fmt/format.h>

#include <fstream>

#include "app/cli/run_filter.h"
#include "app/cli/session.h"
#include "core/report/pivot.h"
#include "core/report/published.h"
#include "core/report/run_dimensions.h"
#include "core/report/series.h"
#include "core/store/locations.h"
#include "core/tensors/atomic_file.h"

namespace cospadi::cli {

namespace {

struct Options {
    std::string preset;
    std::string published;
    std::vector<std::string> rows, columns;
    std::string metric;
    std::string format;
    int decimals = -1;
    bool noSecond = false;
    SeriesOptions series;
    RunSelection selection;
    std::string out;
};

nlohmann::json jsonOf(const ReportCell& cell) {
    return std::visit(
        [](const auto& value) -> nlohmann::json {
            using Value = std::decay_t<decltype(value)>;
            if constexpr (std::is_same_v<Value, std::monostate>) {
                return nullptr;
            } else if constexpr (std::is_same_v<Value, MeanCell>) {
                return {{"mean", value.mean}, {"std", value.deviation}, {"n", value.count}};
            } else {
                return value;
            }
        },
        cell);
}

ReportTable tableOf(const Options& options) {
    if (!options.published.empty()) {
        return cospadi::tableOf(publishedTable(options.published));
    }
    const RunStore store = RunStore::openForReading(storePath());
    if (!options.series.kind.empty()) {
        SeriesOptions shape = options.series;
        shape.iterations = [&store](const RunRow& run) { return store.iterations(run.id); };
        return series(selectedRuns(store, options.selection), shape);
    }
    const bool pivoted =
        !options.rows.empty() || !options.columns.empty() || !options.metric.empty();
    if (!pivoted) {
        return buildReport(store, options.preset.empty() ? "demo" : options.preset);
    }
    PivotOptions shape;
    if (!options.rows.empty()) {
        shape.rows = options.rows;
    }
    if (!options.columns.empty()) {
        shape.columns = options.columns;
    }
    if (!options.metric.empty()) {
        shape.metric = options.metric;
    }
    shape.markSecond = !options.noSecond;
    return pivot(selectedRuns(store, options.selection), shape);
}

int report(const Session& session, const Options& options) {
    ReportTable table = tableOf(options);
    for (ReportColumn& column : table.columns) {
        column.digits = options.decimals >= 0 ? options.decimals : column.digits;
    }
    table.markSecond = table.markSecond && !options.noSecond;
    const bool isSeries = !options.series.kind.empty();
    const std::string format = !options.format.empty() ? options.format
                               : isSeries              ? "csv"
                                                       : "table";
    const std::string text = render(table, reportFormatFromName(format));
    nlohmann::json rows = nlohmann::json::array();
    for (const ReportRow& row : table.rows) {
        nlohmann::json object;
        for (std::size_t c = 0; c < table.columns.size(); ++c) {
            object[table.columns[c].name] = jsonOf(row.cells[c]);
        }
        rows.push_back(object);
    }
    if (!options.out.empty()) {
        writeFileAtomically(options.out, text);
        session.print(options.out + "\n", {{"path", options.out}, {"rows", rows}});
        return kOk;
    }
    session.print(text, {{"preset", options.preset.empty() ? "demo" : options.preset},
                         {"rows", rows},
                         {"notes", table.notes}});
    return kOk;
}

}  // namespace

void addReport(CLI::App& app, Session& session) {
    auto* command = app.add_subcommand("report", "Tables of stored results, and charts' data");
    auto options = std::make_shared<Options>();
    Options& o = *options;
    std::string presets;
    for (const ReportPreset& p : reportPresets()) {
        presets += fmt::format("{}{}: {}", presets.empty() ? "" : "; ", p.name, p.description);
    }
    auto* preset = command->add_option("--preset", o.preset, presets + " [demo]");
    const auto list = [command](const char* flag, std::vector<std::string>& values,
                                const char* help) {
        return command->add_option(flag, values, help)->delimiter(',')->allow_extra_args(false);
    };
    auto* rows = list("--rows", o.rows,
                      "Settings down: method, solver, cr, rho, iterations, seed, layers, model, or "
                      "any field of a specification [method]");
    auto* columns = list("--columns", o.columns, "Settings across [cr]");
    auto* metric =
        command->add_option("--metric", o.metric,
                            fmt::format("One of {}, or TASK/METRIC of lm-eval, e.g. piqa/acc_norm "
                                        "[perplexity]",
                                        fmt::join(metricNames(), ", ")));
    auto* kind = command->add_option(
        "--series", o.series.kind,
        fmt::format("A chart's data in long form: {}", fmt::join(seriesKinds(), ", ")));
    command->add_option("--matrix", o.series.matrix,
                        "error-iteration: only matrices whose name contains this");
    command->add_option("--format", o.format, "table, csv, md or latex [table; csv for a series]");
    command->add_option("--decimals", o.decimals, "Digits after the point (not in CSV)")
        ->check(CLI::Range(0, 17));
    command->add_flag("--no-second", o.noSecond, "Do not underline the second best values");
    command->add_option("--out", o.out, "Write to this file instead of printing");
    addRunFilters(*command, o.selection);
    command
        ->add_option("--published", o.published,
                     "A table of the paper as printed, by number or name, e.g. main-results")
        ->excludes(rows)
        ->excludes(columns)
        ->excludes(metric)
        ->excludes(kind)
        ->excludes(preset);
    preset->excludes(rows)->excludes(columns)->excludes(metric)->excludes(kind);
    kind->excludes(rows)->excludes(columns);
    finishCommand(command, session, [&session, options] {
        if (!options->series.kind.empty() && !options->metric.empty()) {
            options->series.metric = options->metric;
        }
        return report(session, *options);
    });
}

}  // namespace cospadi::cli
