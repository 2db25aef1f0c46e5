// A heat map (heat_map.h) as a picture, on the screen and in files: its cells with their marks, the
// words along its sides, and what its colours mean. Cells without a number are hatched.
#pragma once

#include <QColor>
#include <QSizeF>

#include "ui/models/heat_map_data.h"

class QPainter;

namespace cospadi::ui {

// At (0, 0) in this size; without cells only the paper.
void drawHeatMap(QPainter& painter, const HeatMapData& data, const QSizeF& size, const QColor& ink,
                 const QColor& paper);

}  // namespace cospadi::ui
