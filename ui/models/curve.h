// A curve as a chart draws it (ui/charts/curve_chart.h): what it is called, its points and its
// look.
#pragma once

#include <QColor>
#include <QList>
#include <QPointF>
#include <QString>
#include <QStringList>

namespace cospadi::ui {

struct Curve {
    enum class Style { Line, Points, LineAndPoints };
    QString name;
    QList<QPointF> points;    // ascending in x; y as measured, not its logarithm
    bool highlighted = true;  // coloured, in the legend, above the others
    QColor colour;
    Style style = Style::Line;
    Qt::PenStyle pen = Qt::SolidLine;
    QStringList pointNames;    // optional: what stands at each point, for the tool tip
    QList<double> deviations;  // optional: half the height of the band around each point
    bool inLegend = true;      // on the screen; in print every coloured curve with a name is
    bool operator==(const Curve&) const = default;
};

}  // namespace cospadi::ui
