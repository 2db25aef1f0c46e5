// From many points to what a chart can show: at most two points a pixel column, its least and its
// greatest, in order, so that no spike is lost (DESIGN §7: Qt Charts is slow from 10⁴ points on).
// Pure functions.
#pragma once

#include <QList>
#include <QPointF>

namespace cospadi::ui {

// points: ascending in x. Returns them unchanged where there are at most 2 · pixels.
QList<QPointF> decimated(const QList<QPointF>& points, int pixels);

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

// The points with low ≤ x ≤ high and the next `more` + 1 on either side, so that lines reach the
// edge and a running mean has its neighbours.
QList<QPointF> within(const QList<QPointF>& points, double low, double high, int more = 0);

}  // namespace cospadi::ui
