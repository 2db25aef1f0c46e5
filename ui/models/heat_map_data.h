// Numbers in rows and columns, with words along their sides, as a heat map draws them
// (ui/charts/heat_map.h).
#pragma once

#include <QList>
#include <QString>
#include <QStringList>

namespace cospadi::ui {

struct HeatMapData {
    QStringList rows;      // top to bottom
    QStringList columns;   // left to right
    QList<double> values;  // row by row; NaN where there is none
    QString rowTitle;
    QString columnTitle;
    QString valueTitle;
    QStringList marks;      // a sign over every number, row by row; empty: none anywhere
    qsizetype chosen = -1;  // the cell with a frame, row by row

    double at(int row, int column) const {
        return values[static_cast<qsizetype>(row) * columns.size() + column];
    }
};

}  // namespace cospadi::ui
