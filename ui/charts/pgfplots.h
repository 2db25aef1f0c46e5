// A chart as a picture that LaTeX draws (package pgfplots), with the coordinates in it: fonts are
// those of the paper, and numbers can be mended by hand. Curves have the colours and dashes of
// print, mean ± std becomes error bars, named ticks stay. Pure.
#pragma once

#include <QList>
#include <QPair>
#include <QSize>
#include <QString>

#include "ui/models/curve.h"

namespace cospadi::ui {

struct PgfAxis {
    QString xTitle;
    QString yTitle;
    bool logarithmicX = false;
    bool logarithmicY = false;
    QList<QPair<double, QString>> xTicks;  // as measured; empty: numbers
};

// Points that a logarithmic axis cannot have are left
// out. size: in pixels of 1/96 inch.
QString pgfplots(const QList<Curve>& curves, const PgfAxis& axis, const QSize& size);

}  // namespace cospadi::ui
