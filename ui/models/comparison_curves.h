// From stored runs to the curves of the comparison chart. Pure functions; no Qt widgets.
#pragma once

#include <QList>
#include <QPair>
#include <QString>
#include <string>
#include <vector>

#include "ui/models/curve.h"
#include "ui/models/heat_map_data.h"
#include "ui/sources/run_catalog.h"

namespace cospadi::ui {

enum class Comparison {
    ErrorByLayer,
    ErrorMap,  // blocks × kinds of one run: errorMap()
    ErrorByIteration,
    ByBytes,  // a metric, with the Pareto front
    ByCr,
    ByRho,
    ByIterations,
    Parallel  // all runs on show: run_axes.h
};

// The comparisons that draw a metric of the user's choice.
bool drawsMetric(Comparison comparison);

struct ComparisonPlot {
    QList<Curve> curves;
    QString xTitle;
    QString yTitle;
    QList<QPair<double, QString>> xTicks;  // empty: numbers
    bool wholeX = false;
    QString emptyText;  // why there is nothing to see
    QString note;       // how the metric was measured, what was left out, where points come from
};

// The error of every matrix of a run: a row a kind, a column a block.
HeatMapData errorMap(const RunCurves& run);

// metric: one of run_dimensions.h, where the comparison draws one.
ComparisonPlot compareRuns(const std::vector<RunCurves>& runs, Comparison comparison,
                           const std::string& metric = "error");

}  // namespace cospadi::ui
