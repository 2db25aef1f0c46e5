#include "ui/charts/parallel_words.h"

#include <QStringList>
#include <algorithm>
#include <cmath>

#include "ui/base/format.h"
#include "ui/base/translated.h"

namespace cospadi::ui {

namespace {

// What the value at this place of the axis is called.
QString valueWords(const ParallelAxis& axis, double at) {
    return axis.categories.isEmpty()
               ? formatNumber(axis.logarithmic ? std::pow(10, at) : at)
               : axis.categories.value(static_cast<int>(std::lround(
                     std::clamp(at, 0.0, static_cast<double>(axis.categories.size() - 1)))));
}

}  // namespace

QString axisWords(const BrushedLines& lines, int axis) {
    const ParallelAxis& at = lines.axes()[axis];
    const std::optional<AxisRange> brush = lines.brush(axis);
    const AxisRange range = brush.value_or(lines.range(axis));
    const int inside = static_cast<int>(lines.passingKeys().size());
    return (brush
                ? Words::tr("axis %1, %2 of %3: brushed from %4 to %5; %n run(s) inside", nullptr,
                            inside)
                : Words::tr("axis %1, %2 of %3: from %4 to %5; %n run(s) inside", nullptr, inside))
        .arg(at.name)
        .arg(axis + 1)
        .arg(lines.axes().size())
        .arg(valueWords(at, range.low), valueWords(at, range.high));
}

QString lineWords(const BrushedLines& lines, int line) {
    const ParallelLine& told = lines.lines()[line];
    QStringList values;
    for (int axis = 0; axis < lines.axisCount(); ++axis) {
        const ParallelAxis& on = lines.axes()[axis];
        const double at = lines.coordinateOf(told, axis);
        values << on.name + QLatin1Char(' ') + (std::isfinite(at) ? valueWords(on, at) : kMissing);
    }
    return told.name + QStringLiteral(": ") + values.join(QStringLiteral(", "));
}

}  // namespace cospadi::ui
