// From stored runs to the curves of the comparison chart. Pure functions; no Qt widgets.
#pragma once

#include <QList>
#include <QPair>
#include <QString>
#include <vector>

#include "ui/sources/run_catalog.h"
#include "ui/widgets/curve_chart.h"
#include "ui/widgets/heat_map.h"

namespace cospadi::ui {

enum class Comparison {
    ErrorByLayer,
    ErrorMap,  // blocks × kinds of one run: errorMap()
    ErrorByIteration,
    PerplexityByBytes,  // with the Pareto front
    PerplexityByCr,
    PerplexityByRho,
    PerplexityByIterations,
    ErrorByBytes,
    ErrorByCr,
    ErrorByRho,
    ErrorByIterations
};

struct ComparisonPlot {
    QList<Curve> curves;
    QString xTitle;
    QString yTitle;
    QList<QPair<double, QString>> xTicks;  // empty: numbers
    bool wholeX = false;
    QString emptyText;  // why there is nothing to see
};

// The error of every matrix of a run: a row a kind, a column a block.
HeatMapData errorMap(const RunCurves& run);

ComparisonPlot compareRuns(const std::vector<RunCurves>& runs, Comparison comparison);

}  // namespace cospadi::ui
