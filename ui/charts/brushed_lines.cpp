#include "ui/charts/brushed_lines.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cospadi::ui {

namespace {

constexpr double kGap = std::numeric_limits<double>::quiet_NaN();

}  // namespace

void BrushedLines::set(const QList<ParallelAxis>& axes, const QList<ParallelLine>& lines) {
    m_axes = axes;
    m_lines = lines;
    m_ranges.clear();
    for (int axis = 0; axis < m_axes.size(); ++axis) {
        m_ranges.append(rangeOf(axis));
    }
    m_brushes.removeIf([this](const QHash<QString, AxisRange>::iterator brush) {
        return std::none_of(m_axes.begin(), m_axes.end(),
                            [&](const ParallelAxis& axis) { return axis.word() == brush.key(); });
    });
}

double BrushedLines::coordinate(int axis, double value) const {
    if (!m_axes[axis].logarithmic) {
        return value;
    }
    return value > 0 ? std::log10(value) : kGap;
}

double BrushedLines::coordinateOf(const ParallelLine& line, int axis) const {
    return coordinate(axis, line.values.value(axis, kGap));
}

double BrushedLines::shareOf(const ParallelLine& line, int axis) const {
    return m_ranges[axis].share(coordinateOf(line, axis));
}

AxisRange BrushedLines::rangeOf(int axis) const {
    if (!m_axes[axis].categories.isEmpty()) {
        return {-0.5, static_cast<double>(m_axes[axis].categories.size()) - 0.5, false};
    }
    AxisRange range;
    range.low = std::numeric_limits<double>::infinity();
    range.high = -range.low;
    for (const ParallelLine& line : m_lines) {
        const double value = coordinateOf(line, axis);
        if (std::isfinite(value)) {
            range.low = std::min(range.low, value);
            range.high = std::max(range.high, value);
        }
    }
    if (range.low > range.high) {
        return {};
    }
    // Air at both ends, so that the outermost lines do not run along the edge.
    const double air = range.high > range.low ? (range.high - range.low) * 0.04
                                              : std::max(std::abs(range.low) * 0.05, 0.05);
    return {range.low - air, range.high + air, range.low == range.high};
}

std::optional<AxisRange> BrushedLines::brush(int axis) const {
    const auto found = m_brushes.constFind(m_axes[axis].word());
    return found == m_brushes.constEnd() ? std::nullopt : std::optional(*found);
}

void BrushedLines::setBrush(int axis, const AxisRange& brush) {
    const AxisRange& whole = m_ranges[axis];
    const QString& name = m_axes[axis].word();
    if (!(brush.low <= brush.high) || (brush.low <= whole.low && brush.high >= whole.high)) {
        m_brushes.remove(name);
    } else {
        m_brushes[name] = {std::max(brush.low, whole.low), std::min(brush.high, whole.high), false};
    }
}

std::vector<bool> BrushedLines::passing() const {
    std::vector<bool> passing(static_cast<std::size_t>(m_lines.size()), true);
    for (int axis = 0; axis < m_axes.size(); ++axis) {
        const std::optional<AxisRange> brushed = brush(axis);
        if (!brushed) {
            continue;
        }
        for (std::size_t i = 0; i < passing.size(); ++i) {
            const double value = coordinateOf(m_lines[static_cast<int>(i)], axis);
            passing[i] =
                passing[i] && value >= brushed->low && value <= brushed->high;  // gaps never pass
        }
    }
    return passing;
}

QSet<QString> BrushedLines::passingKeys() const {
    const std::vector<bool> inside = passing();
    QSet<QString> keys;
    keys.reserve(m_lines.size());
    for (int i = 0; i < m_lines.size(); ++i) {
        if (inside[static_cast<std::size_t>(i)]) {
            keys.insert(m_lines[i].key);
        }
    }
    return keys;
}

}  // namespace cospadi::ui
