// Numbers in rows and columns, with words along their sides, as a heat map draws them
// (ui/charts/heat_map.h).
#pragma once

#include <QList>
#include <QString>
#include <QStringList>
#include <limits>

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
    // What the colours span besides the values, so that maps beside each other can be compared;
    // NaN: nothing.
    double least = std::numeric_limits<double>::quiet_NaN();
    double greatest = std::numeric_limits<double>::quiet_NaN();
    bool isDifference = false;  // colours tell the sign: green below 0, purple above

    double at(int row, int column) const {
        return values[static_cast<qsizetype>(row) * columns.size() + column];
    }
};

}  // namespace cospadi::ui
