// An ablation (core/report/ablation.h) as curves to draw: colours by the value that tells curves
// apart, dashes by what else they differ in, means with their deviation, and over bytes what no
// other run of the same layers beats. Pure functions.
#pragma once

#include <QColor>
#include <QHash>
#include <QList>
#include <QPair>
#include <QString>

#include "core/report/ablation.h"
#include "ui/models/curve.h"
#include "ui/models/error_words.h"

namespace cospadi::ui {

struct AblationChart {
    QString title;
    QList<Curve> curves;  // the same ones in every chart, some without points
};

struct AblationCharts {
    QHash<QString, QColor> colours;  // of runs, where every curve is one
    QList<AblationChart> charts;     // none: there is nothing to draw
    QString xTitle;
    QString yTitle;
    QList<QPair<double, QString>> xTicks;  // empty: numbers
    bool wholeX = false;
    QString note;  // how y was measured, what was left out
};

AblationCharts ablationCharts(const AblationPlot& plot);

// As an axis has a value: bytes in MB.
double inUnitsOf(const std::string& quantity, double value);
// What an axis is titled by, and a choice of axes lists: "ρ = k/s", "perplexity".
QString axisTitle(const std::string& name, ErrorKind errors = ErrorKind::Mixed);

}  // namespace cospadi::ui
