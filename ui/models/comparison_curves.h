// From stored runs to the curves of the comparison chart. Pure functions; no Qt widgets.
#pragma once

#include <QColor>
#include <QHash>
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
    Ablation,  // any value over any setting: ablation_curves.h
    Parallel,  // all runs on show: run_axes.h
    Sweep      // a sweep's runs by two of their settings: sweep_matrix_model.h
};

struct ComparisonPlot {
    QList<Curve> curves;
    QString xTitle;
    QString yTitle;
    QList<QPair<double, QString>> xTicks;  // empty: numbers
    bool wholeX = false;
    QString emptyText;               // why there is nothing to see
    QHash<QString, QColor> colours;  // of the runs that are drawn, by their ids
};

std::vector<RunRow> rowsOf(const std::vector<RunCurves>& runs);

// The error of every matrix of a run: a row a kind, a column a block.
HeatMapData errorMap(const RunCurves& run);

// The error maps of two runs over the same blocks and kinds, with one range of colours, and what
// the second's error is more than the first's where both have the matrix.
struct ErrorMapPair {
    HeatMapData first;
    HeatMapData second;
    HeatMapData difference;
};
ErrorMapPair errorMaps(const RunCurves& first, const RunCurves& second);

// Errors by matrix or iteration; nothing for other comparisons.
ComparisonPlot compareRuns(const std::vector<RunCurves>& runs, Comparison comparison);

}  // namespace cospadi::ui
