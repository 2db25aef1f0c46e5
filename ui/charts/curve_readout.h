// What curves are worth under the pointer: the words, and the box with cross-hairs that shows them.
#pragma once

#include <QList>
#include <QStringList>

#include "ui/models/curve.h"

class QFont;
class QPainter;
class QPointF;
class QRectF;

namespace cospadi::ui {

// A line a highlighted curve: name and name of the point, value, x. Of each curve the point nearest
// in x; of lone points only where it is within reach of the pointer (pixelsPerUnit of x; 0:
// always).
QStringList valuesAt(const QList<Curve>& curves, double x, double pixelsPerUnit = 0);

// Cross-hairs through the pointer over the plot, and the lines in a box beside it that stays inside
// the plot; only the first few of very many.
void drawReadout(QPainter& painter, const QRectF& plot, const QPointF& pointer,
                 const QStringList& lines, const QFont& font);

}  // namespace cospadi::ui
