#include "ui/charts/decimator.h"

#include <algorithm>
#include <cstring>

namespace cospadi::ui {

namespace {

constexpr qsizetype kBlock = 16;  // points of a block, and blocks of a block above it

// Bit by bit: QPointF's own comparison takes near points for equal.
bool beginsWith(const QList<QPointF>& points, const QList<QPointF>& beginning) {
    return points.size() >= beginning.size() &&
           (beginning.isEmpty() || points.constData() == beginning.constData() ||
            std::memcmp(points.constData(), beginning.constData(),
                        static_cast<std::size_t>(beginning.size()) * sizeof(QPointF)) == 0);
}

// The first of [begin, end) that does not lie left of x. It is mostly near: strides grow from 1.
qsizetype firstFrom(const QList<QPointF>& points, qsizetype begin, qsizetype end, double x) {
    const auto isLeft = [](const QPointF& point, double edge) { return point.x() < edge; };
    qsizetype stride = 1;
    while (begin + stride < end && points[begin + stride].x() < x) {
        begin += stride;
        stride *= 2;
    }
    return std::lower_bound(points.begin() + begin, points.begin() + std::min(begin + stride, end),
                            x, isLeft) -
           points.begin();
}

}  // namespace

void Decimator::setPoints(const QList<QPointF>& points) {
    if (!beginsWith(points, m_points)) {
        m_levels.clear();
    }
    m_points = points;
    qsizetype size = kBlock;
    for (std::size_t level = 0; size <= m_points.size(); ++level, size *= kBlock) {
        if (level == m_levels.size()) {
            m_levels.emplace_back();
        }
        std::vector<Extremes>& blocks = m_levels[level];
        while (static_cast<qsizetype>(blocks.size() + 1) * size <= m_points.size()) {
            const auto begin = static_cast<qsizetype>(blocks.size()) * size;
            blocks.push_back(extremes(begin, begin + size));
        }
    }
}

Decimator::Extremes Decimator::joined(const Extremes& a, const Extremes& b) const {
    return {m_points[b.low].y() < m_points[a.low].y() ? b.low : a.low,
            m_points[b.high].y() > m_points[a.high].y() ? b.high : a.high};
}

Decimator::Extremes Decimator::extremes(qsizetype begin, qsizetype end) const {
    Extremes result{begin, begin};
    while (begin < end) {
        // The largest block that begins here, ends in time and is known.
        std::size_t levels = 0;
        qsizetype size = 1;
        while (levels < m_levels.size() && begin % (size * kBlock) == 0 &&
               begin + size * kBlock <= end &&
               begin / (size * kBlock) < static_cast<qsizetype>(m_levels[levels].size())) {
            size *= kBlock;
            ++levels;
        }
        result = joined(result, levels == 0
                                    ? Extremes{begin, begin}
                                    : m_levels[levels - 1][static_cast<std::size_t>(begin / size)]);
        begin += size;
    }
    return result;
}

QList<QPointF> Decimator::columns(qsizetype begin, qsizetype end, int pixels) const {
    pixels = std::max(pixels, 1);
    if (end - begin <= 2 * qsizetype{pixels}) {
        return m_points.mid(begin, end - begin);
    }
    const double left = m_points[begin].x();
    const double width = m_points[end - 1].x() - left;
    QList<QPointF> result;
    result.reserve(2 * qsizetype{pixels});
    for (int column = -1; begin < end;) {
        const double along = width > 0 ? (m_points[begin].x() - left) / width : 0;
        column = std::clamp(static_cast<int>(along * pixels), column + 1, pixels - 1);
        const double edge = left + width * (column + 1) / pixels;
        const qsizetype next =
            column == pixels - 1 ? end : std::max(begin + 1, firstFrom(m_points, begin, end, edge));
        const Extremes found = extremes(begin, next);
        result.append(m_points[std::min(found.low, found.high)]);
        if (found.low != found.high) {
            result.append(m_points[std::max(found.low, found.high)]);
        }
        begin = next;
    }
    return result;
}

QList<QPointF> Decimator::inView(double low, double high, int pixels) const {
    const auto before = [](const QPointF& point, double x) { return point.x() < x; };
    const auto after = [](double x, const QPointF& point) { return x < point.x(); };
    auto first = std::lower_bound(m_points.begin(), m_points.end(), low, before);
    auto last = std::upper_bound(first, m_points.end(), high, after);
    first -= std::min<qsizetype>(first - m_points.begin(), 1);
    last += std::min<qsizetype>(m_points.end() - last, 1);
    return columns(first - m_points.begin(), last - m_points.begin(), pixels);
}

QList<QPointF> Decimator::all(int pixels) const { return columns(0, m_points.size(), pixels); }

}  // namespace cospadi::ui
