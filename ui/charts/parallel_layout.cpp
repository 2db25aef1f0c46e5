#include "ui/charts/parallel_layout.h"

#include <QFontMetricsF>
#include <algorithm>
#include <cmath>

namespace cospadi::ui {

namespace {

constexpr double kAxisReach = 14;  // pixels beside an axis that belong to it
constexpr double kNear = 6;        // pixels from a line that ask for its name

}  // namespace

ParallelLayout ParallelLayout::of(const QSizeF& size, const QFont& font, int axes) {
    const QFontMetricsF metrics(font);
    const double side = std::min(15 * metrics.averageCharWidth(), size.width() / 10);
    ParallelLayout layout;
    layout.axes = axes;
    layout.plot = QRectF(QPointF(side, 2 * metrics.height() + 4),
                         QPointF(size.width() - side, size.height() - metrics.height() / 2 - 4));
    return layout;
}

int ParallelLayout::nearestAxis(const QPointF& position) const {
    int nearest = 0;
    for (int axis = 1; axis < axes; ++axis) {
        if (std::abs(position.x() - x(axis)) < std::abs(position.x() - x(nearest))) {
            nearest = axis;
        }
    }
    return nearest;
}

int ParallelLayout::axisAt(const QPointF& position) const {
    for (int axis = 0; axis < axes; ++axis) {
        if (std::abs(position.x() - x(axis)) <= kAxisReach) {
            return axis;
        }
    }
    return -1;
}

QString nearestLine(const BrushedLines& lines, const ParallelLayout& layout,
                    const QPointF& position) {
    const int left =
        layout.axes < 2
            ? -1
            : static_cast<int>((position.x() - layout.x(0)) / (layout.x(1) - layout.x(0)));
    if (left < 0 || left + 1 >= layout.axes) {
        return {};
    }
    const double part = (position.x() - layout.x(left)) / (layout.x(left + 1) - layout.x(left));
    double nearest = kNear;
    QString name;
    const std::vector<bool> inside = lines.passing();
    for (int i = 0; i < lines.lines().size(); ++i) {
        const ParallelLine& line = lines.lines()[i];
        const auto y = [&](int axis) { return layout.y(lines.shareOf(line, axis)); };
        const double distance = std::abs(y(left) + part * (y(left + 1) - y(left)) - position.y());
        if (distance < nearest && inside[static_cast<std::size_t>(i)]) {  // false for gaps
            nearest = distance;
            name = line.name;
        }
    }
    return name;
}

}  // namespace cospadi::ui
