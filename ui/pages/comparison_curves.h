// From stored runs to the curves of the comparison chart. Pure functions; no Qt widgets.
#pragma once

#include <QList>
#include <QPair>
#include <QString>
#include <vector>

#include "ui/sources/run_catalog.h"
#include "ui/widgets/curve_chart.h"

namespace cospadi::ui {

enum class Comparison { ErrorByLayer, ErrorByIteration, PerplexityByBytes };

struct ComparisonPlot {
    QList<Curve> curves;
    QString xTitle;
    QString yTitle;
    QList<QPair<double, QString>> xTicks;  // empty: numbers
    bool wholeX = false;
    QString emptyText;  // why there is nothing to see
};

ComparisonPlot compareRuns(const std::vector<RunCurves>& runs, Comparison comparison);

}  // namespace cospadi::ui
