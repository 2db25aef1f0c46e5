#include "ui/charts/heat_map_csv.h"

#include <cmath>

#include "ui/charts/chart_export.h"

namespace cospadi::ui {

QString heatMapCsv(const HeatMapData& data) {
    QString text =
        QStringLiteral("%1,%2,%3\n")
            .arg(csvCell(data.rowTitle), csvCell(data.columnTitle), csvCell(data.valueTitle));
    for (int row = 0; row < data.rows.size(); ++row) {
        for (int column = 0; column < data.columns.size(); ++column) {
            if (std::isfinite(data.at(row, column))) {
                text += QStringLiteral("%1,%2,%3\n")
                            .arg(csvCell(data.rows[row]), csvCell(data.columns[column]))
                            .arg(data.at(row, column), 0, 'g', 17);
            }
        }
    }
    return text;
}

}  // namespace cospadi::ui
