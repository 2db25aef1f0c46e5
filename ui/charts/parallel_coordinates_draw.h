// The layout and the colours of one picture of parallel coordinates; private to the widget.
#pragma once

#include <QColor>
#include <QFont>
#include <QList>
#include <QRectF>
#include <QSizeF>

#include "ui/charts/parallel_coordinates.h"

namespace cospadi::ui {

struct ParallelCoordinates::Drawing {
    QRectF plot;  // axes stand from its top to its bottom, the first and last at its sides
    int axes = 0;
    QColor ink;
    QColor muted;
    QColor faded;       // lines outside the brushes
    QColor line;        // lines inside, where none is chosen
    QColor background;  // lines inside, beside chosen ones
    QColor brush;
    bool print = false;
    int focused = -1;  // axis with the keyboard's mark

    double x(int axis) const {
        return axes < 2 ? plot.center().x() : plot.left() + plot.width() * axis / (axes - 1);
    }
    double gap() const { return axes > 1 ? plot.width() / (axes - 1) : 200; }  // between axes
    double y(double share) const { return plot.bottom() - share * plot.height(); }

    // Of lines inside that do not stand out beside chosen ones: the more there are, the fainter.
    QColor inside(qsizetype lines, bool chosen) const;

    static Drawing of(const QSizeF& size, const QFont& font, int axes, bool print);
};

}  // namespace cospadi::ui
