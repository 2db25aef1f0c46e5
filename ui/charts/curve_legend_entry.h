// A curve in a legend: its name beside a piece of its own line, long enough for its dashes to be
// seen (Qt's legend shows ten pixels, in which they look alike). Of one chart (curve_legend.h) or
// of several (shared_legend.h).
#pragma once

#include <QColor>
#include <QFont>
#include <QList>
#include <QPen>
#include <QPointF>
#include <QString>

#include "ui/charts/marker_shape.h"
#include "ui/models/curve.h"

class QPainter;

namespace cospadi::ui {

struct CurveLegendEntry {
    QString name;
    QPen line{Qt::NoPen};  // of the curve
    QColor marker;         // of one with points; invalid: none
    MarkerShape shape = MarkerShape::Circle;

    bool operator==(const CurveLegendEntry&) const = default;
};

// Of the curves that have a place in a legend (curve_look.h), in their order.
QList<CurveLegendEntry> legendEntries(const QList<Curve>& curves, bool print);

constexpr double kLegendBetween = 16;  // entries in a line

double legendLineOf(const QFont& font);  // pixels before the name
double legendLineHeight(const QFont& font);
double legendWidthOf(const CurveLegendEntry& entry, const QFont& font);
// at: its left upper corner.
void drawLegendEntry(QPainter& painter, const CurveLegendEntry& entry, QPointF at,
                     const QFont& font, const QColor& text);

}  // namespace cospadi::ui
