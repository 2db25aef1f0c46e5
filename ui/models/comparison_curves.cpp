#include "ui/models/comparison_curves.h"

#include <QMap>
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "core/report/series.h"
#include "ui/base/translated.h"
#include "ui/models/error_words.h"
#include "ui/models/run_looks.h"

namespace cospadi::ui {

std::vector<RunRow> rowsOf(const std::vector<RunCurves>& runs) {
    std::vector<RunRow> rows;
    for (const RunCurves& entry : runs) {
        rows.push_back(entry.run);
    }
    return rows;
}

namespace {

// A curve a run, named and without points.
QList<Curve> runCurves(const std::vector<RunCurves>& runs) {
    QStringList ids;
    for (const RunCurves& entry : runs) {
        ids << QString::fromStdString(entry.run.id);
    }
    const QStringList labels = namesBeside(rowsOf(runs));
    const QList<int> looks = looksOf(ids);
    QList<Curve> curves;
    for (qsizetype i = 0; i < ids.size(); ++i) {
        Curve curve;
        curve.name = labels[i];
        setRunLook(curve, ids[i], looks[i]);
        curves.append(curve);
    }
    return curves;
}

ComparisonPlot errorByLayer(const std::vector<RunCurves>& runs, const QList<Curve>& looks) {
    ComparisonPlot plot;
    plot.xTitle = Words::tr("matrix, in forward order (ticks: block)");
    plot.yTitle = errorTitle(errorKindOf(rowsOf(runs)));
    plot.emptyText = Words::tr("These runs have no finished matrix yet.");
    // One place on the axis for every matrix that occurs: by block, then as the runs have them.
    QMap<std::int64_t, QStringList> byBlock;
    for (const RunCurves& entry : runs) {
        for (const MatrixRow& matrix : entry.matrices) {
            QStringList& names = byBlock[matrix.block];
            const QString name = QString::fromStdString(matrix.name);
            if (!names.contains(name)) {
                names << name;
            }
        }
    }
    QMap<QString, int> place;
    const int every = std::max<int>(1, static_cast<int>(byBlock.size()) / 15);
    int blockIndex = 0;
    for (auto block = byBlock.cbegin(); block != byBlock.cend(); ++block, ++blockIndex) {
        const int first = static_cast<int>(place.size());
        for (const QString& name : block.value()) {
            place.insert(name, static_cast<int>(place.size()));
        }
        if (blockIndex % every == 0) {
            plot.xTicks.append({static_cast<double>(first), QString::number(block.key())});
        }
    }
    for (std::size_t i = 0; i < runs.size(); ++i) {
        QMap<int, const MatrixRow*> ordered;
        for (const MatrixRow& matrix : runs[i].matrices) {
            ordered.insert(place.value(QString::fromStdString(matrix.name)), &matrix);
        }
        Curve curve = looks[static_cast<qsizetype>(i)];
        curve.style = ordered.size() > 60 ? Curve::Style::Line : Curve::Style::LineAndPoints;
        for (auto it = ordered.cbegin(); it != ordered.cend(); ++it) {
            curve.points.append(QPointF(it.key(), it.value()->relativeError));
            curve.pointNames << QString::fromStdString(it.value()->name);
        }
        if (!curve.points.isEmpty()) {
            plot.curves.append(curve);
        }
    }
    return plot;
}

// The mean over the run's matrices after each iteration, those that have ended with their last
// error; where a single matrix is all, its own curve.
ComparisonPlot errorByIteration(const std::vector<RunCurves>& runs, const QList<Curve>& looks) {
    ComparisonPlot plot;
    plot.xTitle = Words::tr("iteration");
    plot.yTitle =
        Words::tr("%1 (finished: last value)").arg(meanErrorTitle(errorKindOf(rowsOf(runs))));
    plot.wholeX = true;
    plot.emptyText =
        Words::tr("These runs have no iterations: low-rank methods are solved in one step.");
    for (std::size_t i = 0; i < runs.size(); ++i) {
        Curve curve = looks[static_cast<qsizetype>(i)];
        for (const MeanError& mean : meanErrors(runs[i].iterations)) {
            curve.points.append(QPointF(static_cast<double>(mean.iteration), mean.error));
        }
        if (!curve.points.isEmpty()) {
            plot.curves.append(curve);
        }
    }
    return plot;
}

// Over the blocks and kinds of all of these runs; without values.
HeatMapData emptyErrorMap(const std::vector<const RunCurves*>& runs, ErrorKind kind) {
    HeatMapData map;
    map.rowTitle = Words::tr("kind");
    map.columnTitle = Words::tr("block");
    map.valueTitle = errorTitle(kind);
    std::set<std::int64_t> blocks;
    for (const RunCurves* run : runs) {
        for (const MatrixRow& matrix : run->matrices) {
            const QString name = QString::fromStdString(matrix.kind);
            if (!map.rows.contains(name)) {
                map.rows << name;
            }
            blocks.insert(matrix.block);
        }
    }
    for (const std::int64_t block : blocks) {
        map.columns << QString::number(block);
    }
    map.values.fill(unknownNumber, map.rows.size() * map.columns.size());
    return map;
}

void fillErrorMap(const RunCurves& run, HeatMapData& map) {
    for (const MatrixRow& matrix : run.matrices) {
        const auto row = map.rows.indexOf(QString::fromStdString(matrix.kind));
        const auto column = map.columns.indexOf(QString::number(matrix.block));
        map.values[row * map.columns.size() + column] = matrix.relativeError;
    }
}

}  // namespace

HeatMapData errorMap(const RunCurves& run) {
    HeatMapData map = emptyErrorMap({&run}, errorKindOf({run.run}));
    fillErrorMap(run, map);
    return map;
}

ErrorMapPair errorMaps(const RunCurves& first, const RunCurves& second) {
    ErrorMapPair pair;
    pair.first = emptyErrorMap({&first, &second}, errorKindOf({first.run, second.run}));
    pair.second = pair.first;
    pair.difference = pair.first;
    fillErrorMap(first, pair.first);
    fillErrorMap(second, pair.second);
    pair.difference.isDifference = true;
    pair.difference.valueTitle = Words::tr("second error − first error");
    double least = std::numeric_limits<double>::infinity();
    double greatest = -least;
    for (qsizetype i = 0; i < pair.first.values.size(); ++i) {
        pair.difference.values[i] = pair.second.values[i] - pair.first.values[i];  // NaN stays
        for (const double value : {pair.first.values[i], pair.second.values[i]}) {
            if (std::isfinite(value)) {
                least = std::min(least, value);
                greatest = std::max(greatest, value);
            }
        }
    }
    if (least <= greatest) {
        for (HeatMapData* map : {&pair.first, &pair.second}) {
            map->least = least;
            map->greatest = greatest;
        }
    }
    return pair;
}

ComparisonPlot compareRuns(const std::vector<RunCurves>& runs, Comparison comparison) {
    const QList<Curve> looks = runCurves(runs);
    ComparisonPlot plot = comparison == Comparison::ErrorByLayer ? errorByLayer(runs, looks)
                          : comparison == Comparison::ErrorByIteration
                              ? errorByIteration(runs, looks)
                              : ComparisonPlot();
    for (std::size_t i = 0; i < runs.size() && !plot.curves.isEmpty(); ++i) {
        plot.colours.insert(QString::fromStdString(runs[i].run.id),
                            looks[static_cast<qsizetype>(i)].colour);
    }
    return plot;
}

}  // namespace cospadi::ui
