// The shapes of markers, by which curves with points are told apart once their colours have all
// been used. GUI thread, or wherever the painter is used.
#pragma once

#include <QPointF>
#include <QString>

class QPainter;

namespace cospadi::ui {

enum class MarkerShape { Circle, Square, Triangle, Diamond, Pentagon };

inline constexpr int kMarkerShapes = 5;

// With the painter's pen and brush. size: pixels across that a circle would have; the others cover
// about the same area.
void drawMarker(QPainter& painter, MarkerShape shape, const QPointF& centre, double size);

QString pgfMark(MarkerShape shape);  // such as "square*"

}  // namespace cospadi::ui
