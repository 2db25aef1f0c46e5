#include "core/report/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <optional>

#include "app/cli/report_bundle.h"
#include "app/cli/report_flags.h"
#include "app/cli/result_json.h"
#include "app/cli/session.h"
#include "core/base/error.h"
#include "core/report/figure_design.h"
#include "core/report/name_list.h"
#include "core/report/published.h"
#include "core/report/run_metrics.h"
#include "core/report/series.h"
#include "core/report/table_design.h"
#include "core/store/locations.h"
#include "core/tensors/atomic_file.h"

namespace cospadi::cli {

namespace {

// A saved figure is a series whose flags were saved.
ReportFlags withSavedFigure(ReportFlags flags, const std::optional<FigureDesign>& figure) {
    if (figure) {
        flags.series = seriesOf(*figure);
        flags.design.runs = figure->runs;
        flags.saved.clear();
    }
    return flags;
}

void refuseUnknown(const std::vector<std::string>& unknown, const std::vector<std::string>& known,
                   const char* problem) {
    if (!unknown.empty()) {
        throw Error(problem, unknown.front(), fmt::format("there are: {}", fmt::join(known, "; ")));
    }
}

// A saved table outlives the runs it was made with; what is typed is meant now.
void requireTypedNames(const ReportTable& table, const TableLayout& typed) {
    std::vector<std::string> labels = rowLabels(table);
    for (const ReportColumn& column : table.columns) {
        labels.push_back(column.name);
    }
    refuseUnknown(unknownLabels(table, typed), labels,
                  "the table has no row or column with this name");
    const std::vector<std::string> texts = renamableTexts(table);
    std::vector<std::string> unknown;
    for (const auto& [old, fresh] : typed.renamed) {
        if (!contains(texts, old)) {
            unknown.push_back(old);
        }
    }
    refuseUnknown(unknown, texts, "the table has no heading or text to rename like this");
}

ReportTable requestedTable(const ReportFlags& flags) {
    if (!flags.series.kind.empty()) {
        const RunStore store = RunStore::openForReading(storePath());
        SeriesOptions shape = flags.series;
        shape.iterations = [&store](const RunRow& run) { return store.iterations(run.id); };
        ReportTable table = series(selectedRuns(store, flags.design.runs), shape);
        applyLayout(table, layoutOf(flags, {}));
        return table;
    }
    const TableDesign design = designOf(flags);
    ReportTable table = !design.published.empty()  // needs no store
                            ? tableOf(publishedTable(design.published))
                            : plainTable(RunStore::openForReading(storePath()), design);
    if (flags.saved.empty()) {
        requireTypedNames(table, design.layout);
    }
    applyLayout(table, design.layout);
    return table;
}

// As asked for, else as the file's name ends, else lines for a terminal.
ReportFormat formatOf(const ReportFlags& flags) {
    if (!flags.format.empty()) {
        return reportFormatFromName(flags.format);
    }
    const std::string suffix = std::filesystem::path(flags.out).extension().string();
    for (const char* known : {".csv", ".md", ".tex"}) {
        if (suffix == known) {
            return reportFormatFromName(suffix.substr(1));
        }
    }
    return flags.series.kind.empty() ? ReportFormat::Terminal : ReportFormat::Csv;
}

// By the name that --save gives; of a saved figure also what no flag says.
void save(const ReportFlags& flags, const std::optional<FigureDesign>& saved) {
    if (!flags.series.kind.empty()) {
        FigureDesign figure = saved.value_or(figureOf(flags));
        figure.name = flags.save;
        saveFigure(savedFiguresPath(), figure);
        return;
    }
    TableDesign design = designOf(flags);
    design.name = flags.save;
    saveTable(savedTablesPath(), design);
}

int report(const Session& session, const ReportFlags& given) {
    const std::optional<FigureDesign> figure = findSavedFigure(savedFiguresPath(), given.saved);
    const ReportFlags flags = withSavedFigure(given, figure);
    if (!flags.forget.empty()) {
        if (findSavedFigure(savedFiguresPath(), flags.forget)) {
            forgetFigure(savedFiguresPath(), flags.forget);
        } else {
            forgetTable(savedTablesPath(), flags.forget);
        }
        session.print(fmt::format("{} removed\n", flags.forget), {{"forgotten", flags.forget}});
        return kOk;
    }
    if (!flags.series.kind.empty()) {
        refuseGiven(flags.ofTables, "formats a table of results, not the points of a chart",
                    "omit it");
    }
    const ReportFormat format = asUsage([&] {
        if (!flags.metric.empty()) {
            metricFromName(flags.metric);
        }
        if (!flags.series.kind.empty()) {
            requireSeriesKind(flags.series.kind);
        }
        if (flags.series.axes != AblationAxes() && flags.series.kind != "ablation") {
            throw Error("--x, --curve and --facet apply to the series ablation only", "--series",
                        "add --series ablation");
        }
        if (!given.series.matrix.empty() && !choosesMatrices(given.series.kind)) {
            throw Error(
                "--matrix applies to the series error-iteration and mean-error-iteration only",
                "--series", "add --series error-iteration");
        }
        return formatOf(flags);
    });
    const ReportTable table = requestedTable(flags);  // what cannot be made is not saved
    if (!flags.save.empty()) {
        save(flags, figure);
    }
    if (!flags.bundle.empty()) {
        return bundleReport(session, flags, table, figure);
    }
    const std::string text = render(table, format);
    const nlohmann::json rows = rowsJson(table);
    if (!flags.out.empty()) {
        writeFileAtomically(flags.out, text);
        session.print(flags.out + "\n", {{"path", flags.out}, {"rows", rows}});
        return kOk;
    }
    session.print(text, {{"preset", presetOf(flags)}, {"rows", rows}, {"notes", table.notes}});
    return kOk;
}

}  // namespace

void addReport(Command app, Session& session) {
    const Command command =
        app.addCommand("report", "Print tables of stored results, and the data of charts");
    const auto flags = std::make_shared<ReportFlags>();
    addReportFlags(command, *flags);
    finishCommand(command, session, [&session, flags] {
        if (!flags->series.kind.empty() && !flags->metric.empty()) {
            flags->series.metric = flags->metric;
        }
        return report(session, *flags);
    });
}

}  // namespace cospadi::cli
