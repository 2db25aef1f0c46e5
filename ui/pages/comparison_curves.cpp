#include "ui/pages/comparison_curves.h"

#include <QCoreApplication>
#include <QMap>
#include <algorithm>
#include <cmath>

#include "core/report/report.h"
#include "ui/base/theme.h"
#include "ui/models/runs_table_model.h"

namespace cospadi::ui {

namespace {

QString tr(const char* words) { return QCoreApplication::translate("ComparisonChart", words); }

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

// The mean over the run's matrices at each iteration; where a single matrix is all, its own curve.
ComparisonPlot errorByIteration(const std::vector<RunCurves>& runs, const QStringList& labels) {
    ComparisonPlot plot;
    plot.xTitle = tr("iteration");
    plot.yTitle = tr("mean whitened relative error");
    plot.wholeX = true;
    plot.emptyText = tr("These runs have no iterations: low-rank methods are solved in one step.");
    for (std::size_t i = 0; i < runs.size(); ++i) {
        QMap<qint64, QPair<double, int>> sums;
        for (const MatrixIterations& matrix : runs[i].iterations.matrices) {
            for (std::size_t entry = 0; entry < matrix.size(); ++entry) {
                if (std::isfinite(matrix.relativeError[entry])) {
                    auto& [sum, count] = sums[matrix.iteration[entry]];
                    sum += matrix.relativeError[entry];
                    ++count;
                }
            }
        }
        const int index = static_cast<int>(i);
        Curve curve = curveOf(labels[index], index, Curve::Style::Line);
        for (auto it = sums.cbegin(); it != sums.cend(); ++it) {
            curve.points.append(
                QPointF(static_cast<double>(it.key()), it.value().first / it.value().second));
        }
        if (!curve.points.isEmpty()) {
            plot.curves.append(curve);
        }
    }
    return plot;
}

constexpr int kFastIterations = 22;  // the solvers' own numbers, where a run says "default"
constexpr int kKsvdIterations = 60;

enum class Against { Bytes, Cr, Rho, Iterations };

double valueOf(const RunRow& run, Against against) {
    const bool sparse = run.method.rfind("cospadi", 0) == 0;
    switch (against) {
        case Against::Bytes:
            return static_cast<double>(run.layerBytes) / 1e6;
        case Against::Cr:
            return run.cr;
        case Against::Rho:
            return sparse ? run.rho : unknownNumber;
        case Against::Iterations:
            return !sparse                ? unknownNumber
                   : run.iterations > 0   ? static_cast<double>(run.iterations)
                   : run.solver == "ksvd" ? kKsvdIterations
                                          : kFastIterations;
    }
    return unknownNumber;
}

// What no other run beats in both: bytes ascending, the metric falling.
Curve paretoFront(const QList<Curve>& curves) {
    QList<QPointF> points;
    for (const Curve& curve : curves) {
        points += curve.points;
    }
    std::sort(points.begin(), points.end(), [](const QPointF& a, const QPointF& b) {
        return a.x() != b.x() ? a.x() < b.x() : a.y() < b.y();
    });
    Curve front;
    front.name = tr("Pareto front");
    front.colour = theme().muted;
    front.pen = Qt::DotLine;
    for (const QPointF& point : points) {
        if (front.points.isEmpty() || point.y() < front.points.last().y()) {
            front.points.append(point);
        }
    }
    return front;
}

// One curve a method, a point a run.
ComparisonPlot metricAgainst(const std::vector<RunCurves>& runs, bool perplexity, Against against) {
    ComparisonPlot plot;
    plot.yTitle = perplexity ? tr("perplexity") : tr("mean whitened relative error");
    plot.xTitle = against == Against::Bytes ? tr("bytes of the compressed matrices (MB)")
                  : against == Against::Cr  ? tr("compression ratio")
                  : against == Against::Rho ? tr("ρ = k/s")
                                            : tr("iterations");
    plot.wholeX = against == Against::Iterations;
    plot.emptyText =
        perplexity ? tr("No perplexity was measured for these runs. Select them and press Measure "
                        "perplexity.")
                   : tr("None of these runs has a value to draw. ρ and iterations belong to "
                        "CoSpaDi runs.");
    QMap<QString, Curve> byMethod;
    for (const RunCurves& entry : runs) {
        const RunRow& run = entry.run;
        const double x = valueOf(run, against);
        const double y = perplexity ? perplexityOf(run) : run.relativeError;
        if (!std::isfinite(x) || !std::isfinite(y)) {
            continue;
        }
        QString method = QString::fromStdString(run.method);
        if (run.method.rfind("cospadi", 0) == 0) {
            method += QStringLiteral(" (%1)").arg(QString::fromStdString(run.solver));
        }
        Curve& curve = byMethod[method];
        curve.name = method;
        // In order of x, with the run's name along.
        const auto place =
            std::lower_bound(curve.points.begin(), curve.points.end(), x,
                             [](const QPointF& point, double value) { return point.x() < value; });
        const auto index = place - curve.points.begin();
        curve.points.insert(index, QPointF(x, y));
        curve.pointNames.insert(index, QString::fromStdString(run.id));
    }
    int index = 0;
    for (Curve& curve : byMethod) {
        curve.colour = theme().series[index++ % theme().series.size()];
        curve.style =
            against == Against::Bytes ? Curve::Style::Points : Curve::Style::LineAndPoints;
        plot.curves.append(curve);
    }
    if (against == Against::Bytes && plot.curves.size() > 0) {
        const Curve front = paretoFront(plot.curves);
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

ComparisonPlot compareRuns(const std::vector<RunCurves>& runs, Comparison comparison) {
    const QStringList labels = runLabels(runs);
    switch (comparison) {
        case Comparison::ErrorByLayer:
            return errorByLayer(runs, labels);
        case Comparison::ErrorByIteration:
            return errorByIteration(runs, labels);
        case Comparison::PerplexityByBytes:
            return metricAgainst(runs, true, Against::Bytes);
        case Comparison::PerplexityByCr:
            return metricAgainst(runs, true, Against::Cr);
        case Comparison::PerplexityByRho:
            return metricAgainst(runs, true, Against::Rho);
        case Comparison::PerplexityByIterations:
            return metricAgainst(runs, true, Against::Iterations);
        case Comparison::ErrorByBytes:
            return metricAgainst(runs, false, Against::Bytes);
        case Comparison::ErrorByCr:
            return metricAgainst(runs, false, Against::Cr);
        case Comparison::ErrorByRho:
            return metricAgainst(runs, false, Against::Rho);
        case Comparison::ErrorByIterations:
            return metricAgainst(runs, false, Against::Iterations);
        case Comparison::ErrorMap:
            break;  // no curves
    }
    return {};
}

}  // namespace cospadi::ui
