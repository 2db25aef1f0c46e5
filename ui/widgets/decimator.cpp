#include "ui/widgets/decimator.h"

#include <algorithm>
#include <cmath>

namespace cospadi::ui {

QList<QPointF> decimated(const QList<QPointF>& points, int pixels) {
    pixels = std::max(pixels, 1);
    if (points.size() <= 2 * qsizetype{pixels}) {
        return points;
    }
    const double left = points.first().x();
    const double width = points.last().x() - left;
    const auto columnOf = [&](const QPointF& point) {
        return width > 0 ? std::min(pixels - 1, static_cast<int>((point.x() - left) / width *
                                                                 static_cast<double>(pixels)))
                         : 0;
    };
    QList<QPointF> result;
    result.reserve(2 * qsizetype{pixels});
    for (qsizetype begin = 0; begin < points.size();) {
        const int column = columnOf(points[begin]);
        qsizetype low = begin;
        qsizetype high = begin;
        qsizetype end = begin;
        for (; end < points.size() && columnOf(points[end]) == column; ++end) {
            low = points[end].y() < points[low].y() ? end : low;
            high = points[end].y() > points[high].y() ? end : high;
        }
        result.append(points[std::min(low, high)]);
        if (low != high) {
            result.append(points[std::max(low, high)]);
        }
        begin = end;
    }
    return result;
}

QList<QPointF> logarithmic(const QList<QPointF>& points) {
    QList<QPointF> result;
    result.reserve(points.size());
    for (const QPointF& point : points) {
        if (point.y() > 0 && std::isfinite(point.y()) && std::isfinite(point.x())) {
            result.append(QPointF(point.x(), std::log10(point.y())));
        }
    }
    return result;
}

QList<QPointF> finite(const QList<QPointF>& points) {
    QList<QPointF> result;
    result.reserve(points.size());
    for (const QPointF& point : points) {
        if (std::isfinite(point.x()) && std::isfinite(point.y())) {
            result.append(point);
        }
    }
    return result;
}

}  // namespace cospadi::ui
