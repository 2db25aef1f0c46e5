#include "app/cli/report_bundle.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "app/cli/figure_pictures.h"
#include "app/cli/result_json.h"
#include "core/base/shell_word.h"
#include "core/bundle/bundle.h"
#include "core/report/report_arguments.h"
#include "core/report/run_selection.h"
#include "core/report/series.h"
#include "core/store/locations.h"

namespace cospadi::cli {

namespace {

namespace fs = std::filesystem;

// The different texts of a column, as they come; one empty one where there is no such column.
std::vector<std::string> valuesOf(const ReportTable& table, const std::string& column) {
    const auto found = std::find_if(table.columns.begin(), table.columns.end(),
                                    [&](const ReportColumn& one) { return one.name == column; });
    if (column.empty() || found == table.columns.end()) {
        return {""};
    }
    const auto at = static_cast<std::size_t>(found - table.columns.begin());
    std::vector<std::string> values;
    for (const ReportRow& row : table.rows) {
        if (const auto* value = std::get_if<std::string>(&row.cells.at(at));
            value != nullptr && std::find(values.begin(), values.end(), *value) == values.end()) {
            values.push_back(*value);
        }
    }
    return values;
}

// A plot for every value of the facet, as SVG and PDF beside the CSV of the points; none where the
// workbench does not stand beside this program.
std::vector<std::string> pictures(const Session& session, const FigureDesign& design,
                                  const ReportTable& points, const fs::path& csv) {
    const SeriesColumns columns = columnsOf(seriesOf(design));
    std::vector<std::string> drawn;
    for (const std::string& facet : valuesOf(points, columns.facet)) {
        FigureCurves curves{columns.x, columns.y, columns.curve, {}, design.isLogX, design.isLogY};
        std::string name = csv.stem().string();
        if (!facet.empty()) {
            curves.where = {columns.facet + "=" + facet};
            name += "-" + fileWord(facet);
        }
        for (const char* suffix : {".svg", ".pdf"}) {
            if (drawFigure(session, curves, csv, csv.parent_path() / (name + suffix))) {
                drawn.push_back(name + suffix);
            }
        }
    }
    return drawn;
}

}  // namespace

int bundleReport(const Session& session, const ReportFlags& flags, const ReportTable& table,
                 const std::optional<FigureDesign>& saved) {
    const RunStore store = RunStore::openForReading(storePath());
    BundleContent content;
    content.table = table;
    RunSelection selection;
    if (!flags.series.kind.empty()) {
        const FigureDesign design = saved.value_or(figureOf(flags));
        selection = design.runs;
        content.command = reportArguments(design);
        content.drawPictures = [&session, design, &table](const fs::path& csv) {
            return pictures(session, design, table, csv);
        };
    } else {
        const TableDesign design = designOf(flags);
        selection = design.runs;
        content.command = reportArguments(design);
    }
    content.runs = selectedRuns(store, selection);
    std::erase_if(content.runs, [](const RunRow& run) { return run.status != "finished"; });
    writeBundle(flags.bundle, content, store);
    session.print(
        fmt::format("{}: the {}, its {}, and how to reproduce them: cospadi reproduce {}\n",
                    flags.bundle, content.isFigure() ? "figure" : "table",
                    counted(static_cast<std::int64_t>(content.runs.size()), "run"),
                    shellWord(flags.bundle)),
        {{"path", flags.bundle}, {"runs", content.runs.size()}});
    return kOk;
}

}  // namespace cospadi::cli
