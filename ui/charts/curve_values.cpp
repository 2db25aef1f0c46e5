#include "ui/charts/curve_values.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace cospadi::ui {

QList<QPointF> logarithmic(const QList<QPointF>& points) {
    QList<QPointF> result = positive(points);
    for (QPointF& point : result) {
        point.setY(std::log10(point.y()));
    }
    return result;
}

namespace {

// Mostly all are kept: then nothing is copied.
template <typename Keep>
QList<QPointF> kept(const QList<QPointF>& points, const Keep& keep) {
    if (std::all_of(points.begin(), points.end(), keep)) {
        return points;
    }
    QList<QPointF> result;
    result.reserve(points.size());
    std::copy_if(points.begin(), points.end(), std::back_inserter(result), keep);
    return result;
}

}  // namespace

QList<QPointF> finite(const QList<QPointF>& points) {
    return kept(points, [](const QPointF& point) {
        return std::isfinite(point.x()) && std::isfinite(point.y());
    });
}

QList<QPointF> positive(const QList<QPointF>& points) {
    return kept(points, [](const QPointF& point) {
        return std::isfinite(point.x()) && std::isfinite(point.y()) && point.y() > 0;
    });
}

QList<QPointF> smoothed(const QList<QPointF>& points, int window) {
    if (window <= 1) {
        return points;
    }
    QList<double> sums{0};  // of the first i values
    sums.reserve(points.size() + 1);
    for (const QPointF& point : points) {
        sums.append(sums.last() + point.y());
    }
    QList<QPointF> result;
    result.reserve(points.size());
    for (qsizetype i = 0; i < points.size(); ++i) {
        const qsizetype reach = std::min({qsizetype{window} / 2, i, points.size() - 1 - i});
        result.append(QPointF(points[i].x(), (sums[i + reach + 1] - sums[i - reach]) /
                                                 static_cast<double>(2 * reach + 1)));
    }
    return result;
}

}  // namespace cospadi::ui
