// Charts as pictures that LaTeX draws (package pgfplots), with the coordinates in them: fonts are
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

// Points that a logarithmic axis cannot have are left out. size: in pixels of 1/96 inch.
QString pgfplots(const QList<Curve>& curves, const PgfAxis& axis, const QSize& size);

struct PgfPlot {
    QString title;
    QList<Curve> curves;  // in every plot the same ones, in the same order
};

// Beside each other, over one range, which is written once along each edge, with one legend: the
// groupplot of pgfplots. size: of all of them.
QString pgfplots(const QList<PgfPlot>& plots, const PgfAxis& axis, int columns, const QSize& size);

}  // namespace cospadi::ui
