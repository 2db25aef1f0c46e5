// Rows or columns of a map that are in view while the others step back, by their places in it.
#pragma once

#include <QRectF>
#include <vector>

class QPainter;

namespace cospadi::ui {

struct MapMarks {
    int row = -1;  // framed; −1: none, as the next
    int column = -1;
    std::vector<bool> rows;     // that belong to the column; empty: all do, as with the next
    std::vector<bool> columns;  // that belong to the row
};

// Over a map, an entry of it a unit. exposed: the part of it that is drawn anew.
void drawMapMarks(QPainter& painter, const MapMarks& marks, const QRectF& map,
                  const QRectF& exposed);

}  // namespace cospadi::ui
