#include "ui/charts/drawable_curve.h"

#include <algorithm>
#include <cmath>

#include "ui/charts/curve_values.h"

namespace cospadi::ui {

namespace {

CurveExtent extentOf(const QList<QPointF>& points, bool logarithmic) {
    CurveExtent extent;
    for (const QPointF& point : points) {
        if (std::isfinite(point.x()) && std::isfinite(point.y()) &&
            (!logarithmic || point.y() > 0)) {
            extent.add({point.x(), point.x(), point.y(), point.y()});
        }
    }
    return extent;
}

}  // namespace

void CurveExtent::add(const CurveExtent& other) {
    left = std::min(left, other.left);
    right = std::max(right, other.right);
    least = std::min(least, other.least);
    greatest = std::max(greatest, other.greatest);
}

void DrawableCurve::setPoints(const QList<QPointF>& points, bool logarithmic, int smoothing) {
    if (m_points == points && m_logarithmic == logarithmic && m_smoothing == smoothing) {
        return;
    }
    m_points = points;
    m_logarithmic = logarithmic;
    m_smoothing = smoothing;
    m_extent = extentOf(points, logarithmic);
    const QList<QPointF> values = smoothed(finite(points), smoothing);
    m_values.setPoints(logarithmic ? positive(values) : values);
}

// The logarithm keeps what is least and greatest: it is taken of what is drawn.
QList<QPointF> DrawableCurve::drawn(const std::optional<QRectF>& area, int pixels) const {
    const QList<QPointF> points =
        area ? m_values.inView(area->left(), area->right(), pixels) : m_values.all(pixels);
    return m_logarithmic ? cospadi::ui::logarithmic(points) : points;
}

}  // namespace cospadi::ui
