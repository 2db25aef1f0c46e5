#include "ui/charts/drawable_curve.h"

#include <algorithm>
#include <cmath>

#include "ui/charts/curve_values.h"

namespace cospadi::ui {

namespace {

constexpr double kFarBelow = 1e-3;  // of a mean: where a band ends that has no logarithm

// x as the axis has it; without what it cannot show.
QList<QPointF> onAxis(const QList<QPointF>& points, const LogarithmicAxes& logarithmic) {
    if (!logarithmic.x) {
        return points;
    }
    QList<QPointF> result;
    for (const QPointF& point : points) {
        if (point.x() > 0) {
            result.append(QPointF(std::log10(point.x()), point.y()));
        }
    }
    return result;
}

bool isShown(const QPointF& point, const LogarithmicAxes& logarithmic) {
    return std::isfinite(point.x()) && std::isfinite(point.y()) &&
           (!logarithmic.y || point.y() > 0);
}

}  // namespace

void CurveExtent::add(const CurveExtent& other) {
    left = std::min(left, other.left);
    right = std::max(right, other.right);
    least = std::min(least, other.least);
    greatest = std::max(greatest, other.greatest);
}

void DrawableCurve::setPoints(const Curve& curve, const LogarithmicAxes& logarithmic,
                              int smoothing) {
    if (m_points == curve.points && m_deviations == curve.deviations &&
        m_logarithmic == logarithmic && m_smoothing == smoothing) {
        return;
    }
    m_points = curve.points;
    m_deviations = curve.deviations;
    m_logarithmic = logarithmic;
    m_smoothing = smoothing;
    const QList<QPointF> points = onAxis(curve.points, logarithmic);
    m_extent = {};
    for (const QPointF& point : points) {
        if (isShown(point, logarithmic)) {
            m_extent.add({point.x(), point.x(), point.y(), point.y()});
        }
    }
    findSpreads();
    const QList<QPointF> values = smoothed(finite(points), smoothing);
    m_values.setPoints(logarithmic.y ? positive(values) : values);
}

void DrawableCurve::findSpreads() {
    m_spreads.clear();
    for (qsizetype i = 0; i < std::min(m_deviations.size(), m_points.size()); ++i) {
        const QList<QPointF> mean = onAxis({m_points[i]}, m_logarithmic);
        if (mean.isEmpty() || !isShown(mean.first(), m_logarithmic)) {
            continue;
        }
        const double x = mean.first().x();
        const double y = mean.first().y();
        double low = y - m_deviations[i];
        const double high = y + m_deviations[i];
        low = m_logarithmic.y ? std::max(low, y * kFarBelow) : low;
        m_extent.add({x, x, std::max(low, m_logarithmic.y ? y / 2 : low), high});
        m_spreads.append(m_logarithmic.y ? QLineF(x, std::log10(low), x, std::log10(high))
                                         : QLineF(x, low, x, high));
    }
}

// The logarithm keeps what is least and greatest: it is taken of what is drawn.
QList<QPointF> DrawableCurve::drawn(const std::optional<QRectF>& area, int pixels) const {
    const QList<QPointF> points =
        area ? m_values.inView(area->left(), area->right(), pixels) : m_values.all(pixels);
    return m_logarithmic.y ? cospadi::ui::logarithmic(points) : points;
}

}  // namespace cospadi::ui
