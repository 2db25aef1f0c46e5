// What is done to the values of a curve before it is decimated and drawn. Pure functions of points
// that ascend in x.
#pragma once

#include <QList>
#include <QPointF>

namespace cospadi::ui {

// (x, log10 y); points whose y is not a positive finite number are left out.
QList<QPointF> logarithmic(const QList<QPointF>& points);

// Points with finite coordinates.
QList<QPointF> finite(const QList<QPointF>& points);

// Points with finite coordinates and y > 0: what a logarithmic axis can show.
QList<QPointF> positive(const QList<QPointF>& points);

// y replaced by its mean over `window` points around each (fewer at the ends, symmetric, so that a
// straight line stays one). Applied before decimation, which would otherwise smooth its own
// extremes.
QList<QPointF> smoothed(const QList<QPointF>& points, int window);

}  // namespace cospadi::ui
