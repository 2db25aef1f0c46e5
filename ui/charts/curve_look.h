// How the curves of a chart look. On the screen each has the colour it was given, and those in the
// background step back. In print all is dark on white: coloured curves take the next of a few
// colours and dashes that can be told apart without colour, too; a curve that is not solid and has
// the colour of an earlier one accompanies that one and is dotted in its colour. Where there are
// more curves than colours, those with points differ in their markers, too. Pure.
#pragma once

#include <QColor>
#include <QList>
#include <QPen>

#include "ui/charts/curve_layer.h"
#include "ui/models/curve.h"

namespace cospadi::ui {

struct ChartColours {
    QColor paper;
    QColor text;  // of the legend
    QColor axis;
    QColor grid;
    QColor words;  // labels and titles of the axes

    static ChartColours of(bool print);
};

// Okabe and Ito, darkened where yellow would vanish on paper.
const QList<QColor>& printSeries();

constexpr double kMarker = 11;  // pixels across: points of their own, named

// In the legend? In print every coloured curve with a name is.
bool isListed(const Curve& curve, bool print);

// Of a curve with points: the next shape every eight colours, those of the curves on the screen or
// those that they take in print.
MarkerShape markerShape(const QList<Curve>& curves, qsizetype index, bool print);

QPen curvePen(const QList<Curve>& curves, qsizetype index, bool print);

// Line and markers; the points stay as they are. pen: curvePen(). single: one point is all that
// the curve has, which then shows as a dot.
void setLook(DrawnCurve& drawn, const Curve& curve, const QPen& pen, bool single, bool print);

// Of a line on the screen. dense: it fills an area; broad ones take Qt five times as long.
double lineWidthOf(const Curve& curve, bool dense);

}  // namespace cospadi::ui
