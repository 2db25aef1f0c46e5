// What curves are worth under the pointer or where the keyboard reads: the words, the box with
// cross-hairs that shows them, and where there is more to read.
#pragma once

#include <QList>
#include <QStringList>
#include <optional>

#include "ui/charts/drawable_curve.h"
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

// The next x, forward or back, at which a highlighted curve has a point that such axes can show
// inside `area` (axis coordinates, curve_axes.h). from: without a value, the first or last there
// is. Nothing at the end.
std::optional<double> nextPoint(const QList<Curve>& curves, const std::optional<double>& from,
                                bool forward, const LogarithmicAxes& logarithmic,
                                const QRectF& area);

// Cross-hairs through the pointer over the plot, and the lines in a box beside it that stays inside
// the plot; only the first few of very many.
void drawReadout(QPainter& painter, const QRectF& plot, const QPointF& pointer,
                 const QStringList& lines, const QFont& font);

}  // namespace cospadi::ui
