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

QList<QPointF> within(const QList<QPointF>& points, double low, double high) {
    const auto before = [](const QPointF& point, double x) { return point.x() < x; };
    const auto after = [](double x, const QPointF& point) { return x < point.x(); };
    auto first = std::lower_bound(points.begin(), points.end(), low, before);
    auto last = std::upper_bound(points.begin(), points.end(), high, after);
    first = first == points.begin() ? first : first - 1;
    last = last == points.end() ? last : last + 1;
    return first < last ? QList<QPointF>(first, last) : QList<QPointF>();
}

}  // namespace cospadi::ui
