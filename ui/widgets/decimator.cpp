#include "ui/widgets/decimator.h"

#include <algorithm>
#include <cmath>
#include <iterator>

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

QList<QPointF> within(const QList<QPointF>& points, double low, double high, int more) {
    const auto before = [](const QPointF& point, double x) { return point.x() < x; };
    const auto after = [](double x, const QPointF& point) { return x < point.x(); };
    auto first = std::lower_bound(points.begin(), points.end(), low, before);
    auto last = std::upper_bound(points.begin(), points.end(), high, after);
    first -= std::min<qsizetype>(first - points.begin(), qsizetype{more} + 1);
    last += std::min<qsizetype>(points.end() - last, qsizetype{more} + 1);
    return first < last ? QList<QPointF>(first, last) : QList<QPointF>();
}

}  // namespace cospadi::ui
