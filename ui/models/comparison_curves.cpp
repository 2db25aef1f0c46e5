#include "ui/models/comparison_curves.h"

#include <QMap>
#include <algorithm>
#include <cmath>

#include "core/report/published_values.h"
#include "core/report/report.h"
#include "core/report/run_dimensions.h"
#include "core/report/series.h"
#include "core/store/stated_compression.h"
#include "ui/base/theme.h"
#include "ui/base/translated.h"
#include "ui/models/run_axes.h"

namespace cospadi::ui {

namespace {

// "cospadi (fast), CR 0.20", and the id's last characters where several runs would read the same.
QStringList runLabels(const std::vector<RunCurves>& runs) {
    QStringList labels;
    for (const RunCurves& entry : runs) {
        labels << QStringLiteral("%1, CR %2")
                      .arg(QString::fromStdString(methodLabel(entry.run)))
                      .arg(entry.run.cr, 0, 'f', 2);
    }
    const QStringList plain = labels;
    for (int i = 0; i < labels.size(); ++i) {
        if (plain.count(plain[i]) > 1) {
            labels[i] += QStringLiteral(" · ") +
                         QString::fromStdString(runs[static_cast<std::size_t>(i)].run.id).right(4);
        }
    }
    return labels;
}

Curve curveOf(const QString& name, int index, Curve::Style style) {
    Curve curve;
    curve.name = name;
    curve.colour = theme().series[index % theme().series.size()];
    curve.style = style;
    return curve;
}

ComparisonPlot errorByLayer(const std::vector<RunCurves>& runs, const QStringList& labels) {
    ComparisonPlot plot;
    plot.xTitle = tr("matrix, in forward order (ticks: block)");
    plot.yTitle = tr("whitened relative error");
    plot.emptyText = tr("These runs have no finished matrix yet.");
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
        const int index = static_cast<int>(i);
        Curve curve =
            curveOf(labels[index], index,
                    ordered.size() > 60 ? Curve::Style::Line : Curve::Style::LineAndPoints);
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
ComparisonPlot errorByIteration(const std::vector<RunCurves>& runs, const QStringList& labels) {
    ComparisonPlot plot;
    plot.xTitle = tr("iteration");
    plot.yTitle = tr("mean whitened relative error (ended ones: their last)");
    plot.wholeX = true;
    plot.emptyText = tr("These runs have no iterations: low-rank methods are solved in one step.");
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const int index = static_cast<int>(i);
        Curve curve = curveOf(labels[index], index, Curve::Style::Line);
        for (const MeanError& mean : meanErrors(runs[i].iterations)) {
            curve.points.append(QPointF(static_cast<double>(mean.iteration), mean.error));
        }
        if (!curve.points.isEmpty()) {
            plot.curves.append(curve);
        }
    }
    return plot;
}

double valueOf(const RunRow& run, Comparison against) {
    switch (against) {
        case Comparison::ByBytes:
            return run.layerBytes > 0 ? static_cast<double>(run.layerBytes) / 1e6 : unknownNumber;
        case Comparison::ByCr:
            return run.cr;
        case Comparison::ByRho:
            return isSparse(run) && !run.hasAutoRho() ? run.rho : unknownNumber;
        case Comparison::ByIterations:
            return iterationsOf(run);
        default:
            return unknownNumber;
    }
}

QString metricTitle(const std::string& metric) {
    return metric == "perplexity"    ? tr("perplexity")
           : metric == "error"       ? tr("mean whitened relative error (ended ones: their last)")
           : metric == kHeldOutError ? tr("mean relative error on held-out text")
           : metric == "bytes"       ? tr("bytes of the compressed matrices")
           : metric == "ratio"       ? tr("storage removed, as measured")
                                     : QString::fromStdString(metric);
}

// What no other run beats in both: bytes ascending, the metric ever better.
Curve paretoFront(const QList<Curve>& curves, bool lowIsGood) {
    QList<QPointF> points;
    for (const Curve& curve : curves) {
        points += curve.points;
    }
    const auto better = [lowIsGood](double a, double b) { return lowIsGood ? a < b : a > b; };
    std::sort(points.begin(), points.end(), [&](const QPointF& a, const QPointF& b) {
        return a.x() != b.x() ? a.x() < b.x() : better(a.y(), b.y());
    });
    Curve front;
    front.name = tr("Pareto front");
    front.colour = theme().muted;
    front.pen = Qt::DotLine;
    for (const QPointF& point : points) {
        if (front.points.isEmpty() || better(point.y(), front.points.last().y())) {
            front.points.append(point);
        }
    }
    return front;
}

// In order of x, with its name along.
void addPoint(Curve& curve, const QPointF& point, const QString& name) {
    const auto place =
        std::lower_bound(curve.points.begin(), curve.points.end(), point.x(),
                         [](const QPointF& other, double value) { return other.x() < value; });
    const auto index = place - curve.points.begin();
    curve.points.insert(index, point);
    curve.pointNames.insert(index, name);
}

// One curve a method, a point a run.
ComparisonPlot metricAgainst(const std::vector<RunCurves>& curves, const std::string& name,
                             Comparison against) {
    std::vector<RunRow> runs;
    for (const RunCurves& entry : curves) {
        runs.push_back(entry.run);
    }
    const Metric metric = metricFromName(name);
    const Measure measure = commonMeasure(runs, name);
    const bool bytes = against == Comparison::ByBytes;
    ComparisonPlot plot;
    plot.yTitle = metricTitle(name);
    plot.xTitle = bytes                          ? tr("bytes of the compressed matrices (MB)")
                  : against == Comparison::ByCr  ? tr("compression ratio")
                  : against == Comparison::ByRho ? tr("ρ = k/s")
                                                 : tr("iterations");
    plot.wholeX = against == Comparison::ByIterations;
    plot.emptyText =
        name == "perplexity"
            ? tr("No perplexity was measured for these runs. Select them and press Measure "
                 "perplexity.")
        : measure.task.has_value() || name.find('/') != std::string::npos
            ? tr("lm-eval did not measure %1 of these runs.").arg(QString::fromStdString(name))
            : tr("None of these runs has a value to draw. ρ and iterations belong to CoSpaDi "
                 "runs.");
    plot.note = QString::fromStdString(measure.label);
    if (const auto others = measuredOtherwise(runs, name, measure); others > 0) {
        plot.note += tr(" · %1 runs measured otherwise are left out").arg(others);
    }
    QMap<QString, Curve> byMethod;
    for (const RunRow& run : runs) {
        const double x = valueOf(run, against);
        const double y = metricOf(run, name, measure);
        if (!std::isfinite(x) || !std::isfinite(y)) {
            continue;
        }
        const auto stated = statedCompressionOf(run);
        QString method = QString::fromStdString(stated ? importedLabel(*stated) : run.method);
        if (hasSolver(run)) {
            method += QStringLiteral(" (%1)").arg(QString::fromStdString(run.solver));
        }
        byMethod[method].name = method;
        addPoint(byMethod[method], QPointF(x, y), QString::fromStdString(run.id));
    }
    int index = 0;
    for (Curve& curve : byMethod) {
        curve.colour = theme().series[index++ % theme().series.size()];
        curve.style = bytes ? Curve::Style::Points : Curve::Style::LineAndPoints;
        plot.curves.append(curve);
    }
    if (bytes && !plot.curves.isEmpty()) {
        const bool lowIsGood =
            measure.task ? !measure.task->higherIsBetter : metric.best == BestValue::Lowest;
        const Curve front = paretoFront(plot.curves, lowIsGood);
        if (front.points.size() > 1) {
            plot.curves.append(front);
        }
    }
    return plot;
}

}  // namespace

HeatMapData errorMap(const RunCurves& run) {
    HeatMapData map;
    map.rowTitle = tr("kind");
    map.columnTitle = tr("block");
    map.valueTitle = tr("whitened relative error");
    QMap<std::int64_t, int> blocks;
    for (const MatrixRow& matrix : run.matrices) {
        const QString kind = QString::fromStdString(matrix.kind);
        if (!map.rows.contains(kind)) {
            map.rows << kind;
        }
        blocks.insert(matrix.block, 0);
    }
    int column = 0;
    for (auto block = blocks.begin(); block != blocks.end(); ++block) {
        *block = column++;
        map.columns << QString::number(block.key());
    }
    map.values.fill(unknownNumber, map.rows.size() * map.columns.size());
    for (const MatrixRow& matrix : run.matrices) {
        const auto row = map.rows.indexOf(QString::fromStdString(matrix.kind));
        map.values[row * map.columns.size() + blocks[matrix.block]] = matrix.relativeError;
    }
    return map;
}

bool drawsMetric(Comparison comparison) {
    return comparison == Comparison::ByBytes || comparison == Comparison::ByCr ||
           comparison == Comparison::ByRho || comparison == Comparison::ByIterations;
}

QList<PublishedCurve> publishedCurves(const std::vector<PublishedTable>& tables,
                                      const std::string& metric, Comparison comparison) {
    const char* dimension = comparison == Comparison::ByCr           ? "cr"
                            : comparison == Comparison::ByRho        ? "rho"
                            : comparison == Comparison::ByIterations ? "iterations"
                                                                     : "";
    QList<PublishedCurve> curves;
    for (const PublishedValue& value : publishedValues(tables, metric)) {
        const auto setting = settingOf(value.row, dimension);
        bool isNumber = false;
        const double x = QString::fromStdString(setting.value_or("")).toDouble(&isNumber);
        if (!isNumber) {
            continue;
        }
        const QString table = QString::fromStdString(value.table);
        const QString model = QString::fromStdString(value.model);
        const QString name =
            tr("%1, %2 (paper, table %3)").arg(QString::fromStdString(value.method), model, table);
        auto known = std::find_if(curves.begin(), curves.end(),
                                  [&](const PublishedCurve& curve) { return curve.name == name; });
        if (known == curves.end()) {
            PublishedCurve curve;
            curve.key = table + ' ' + model;
            curve.name = name;
            curve.curve.name = name;
            curve.curve.style = Curve::Style::LineAndPoints;
            curve.curve.pen = Qt::DashLine;
            curves.append(curve);
            known = curves.end() - 1;
        }
        addPoint(known->curve, QPointF(x, value.value), name);
    }
    return curves;
}

ComparisonPlot compareRuns(const std::vector<RunCurves>& runs, Comparison comparison,
                           const std::string& metric) {
    if (drawsMetric(comparison)) {
        return metricAgainst(runs, metric, comparison);
    }
    const QStringList labels = runLabels(runs);
    return comparison == Comparison::ErrorByLayer       ? errorByLayer(runs, labels)
           : comparison == Comparison::ErrorByIteration ? errorByIteration(runs, labels)
                                                        : ComparisonPlot();
}

}  // namespace cospadi::ui
