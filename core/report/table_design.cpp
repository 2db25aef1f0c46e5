#include "core/report/table_design.h"

#include "core/report/pivot.h"
#include "core/report/report.h"

namespace cospadi {

namespace {

ReportTable pivotOf(const RunStore& store, const TableDesign& design) {
    PivotOptions shape;
    shape.rows = design.rows;
    shape.columns = design.columns;
    shape.metric = design.metric;
    for (const std::string& table : design.beside) {
        shape.beside.push_back(publishedTable(table));
    }
    return pivot(selectedRuns(store, design.runs), shape);
}

}  // namespace

ReportTable plainTable(const RunStore& store, const TableDesign& design) {
    return !design.published.empty() ? tableOf(publishedTable(design.published))
           : !design.preset.empty()  ? buildReport(store, design.preset, design.runs)
                                     : pivotOf(store, design);
}

}  // namespace cospadi
