// Where parallel coordinates stand in a picture: their axes, the lines across these, and what of
// both lies at a place of it. In its pixels. Pure.
#pragma once

#include <QFont>
#include <QPointF>
#include <QRectF>
#include <QSizeF>
#include <cmath>

#include "ui/charts/brushed_lines.h"

namespace cospadi::ui {

struct ParallelLayout {
    QRectF plot;  // axes stand from its top to its bottom, the first and last at its sides
    int axes = 0;

    // font: of the words around the plot.
    static ParallelLayout of(const QSizeF& size, const QFont& font, int axes);

    double x(int axis) const {
        return axes < 2 ? plot.center().x() : plot.left() + plot.width() * axis / (axes - 1);
    }
    double gap() const { return axes > 1 ? plot.width() / (axes - 1) : 200; }  // between axes
    double y(double share) const { return plot.bottom() - share * plot.height(); }
    double shareAt(double y) const { return (plot.bottom() - y) / plot.height(); }

    int axisAt(const QPointF& position) const;  // that it belongs to; −1: none
    int nearestAxis(const QPointF& position) const;
};

// The line inside the brushes that runs past so near that it is meant: its name. Empty: none.
QString nearestLine(const BrushedLines& lines, const ParallelLayout& layout,
                    const QPointF& position);

// stroke(from, to, dotted): where a line has no value it goes on dotted to the next axis on which
// it has one.
template <typename Stroke>
void eachStroke(const BrushedLines& lines, const ParallelLayout& layout, const ParallelLine& line,
                const Stroke& stroke) {
    QPointF last;
    int before = -1;  // the last axis with a value
    for (int axis = 0; axis < layout.axes; ++axis) {
        const double value = lines.coordinate(axis, line.values.value(axis));
        if (!std::isfinite(value)) {
            continue;
        }
        const QPointF point(layout.x(axis), layout.y(lines.range(axis).share(value)));
        if (before >= 0) {
            stroke(last, point, before + 1 < axis);
        }
        last = point;
        before = axis;
    }
}

}  // namespace cospadi::ui
