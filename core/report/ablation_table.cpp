#include "core/report/ablation.h"

namespace cospadi {

ReportTable ablationTable(const AblationPlot& plot) {
    ReportTable table;
    if (!plot.axes.facet.empty()) {
        table.columns.push_back({plot.axes.facet});
    }
    table.columns.push_back({"curve"});
    table.columns.push_back(
        {plot.axes.x, plot.words.empty() ? ColumnKind::Number : ColumnKind::Text, 6});
    table.columns.push_back({plot.axes.y, ColumnKind::Number, 6});
    table.columns.push_back({"std", ColumnKind::Number, 6});
    table.columns.push_back({"n"});
    for (const AblationFacet& facet : plot.facets) {
        for (const AblationCurve& curve : facet.curves) {
            for (const AblationPoint& point : curve.points) {
                ReportRow row;
                if (!plot.axes.facet.empty()) {
                    row.cells.emplace_back(facet.title);
                }
                row.cells.emplace_back(curve.name);
                row.cells.push_back(
                    plot.words.empty() ? ReportCell(point.x)
                                       : ReportCell(plot.words[static_cast<std::size_t>(point.x)]));
                row.cells.insert(row.cells.end(), {point.y.mean, point.y.deviation, point.y.count});
                table.rows.push_back(std::move(row));
            }
        }
    }
    table.notes = inEnglish(plot.notes);
    return table;
}

}  // namespace cospadi
