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
        const IterationSeries& series = runs[i].iterations;
        QMap<int, QPair<double, int>> sums;
        for (std::size_t entry = 0; entry < series.size(); ++entry) {
            if (std::isfinite(series.relativeError[entry])) {
                auto& [sum, count] = sums[series.iteration[entry]];
                sum += series.relativeError[entry];
                ++count;
            }
        }
        const int index = static_cast<int>(i);
        Curve curve = curveOf(labels[index], index, Curve::Style::Line);
        for (auto it = sums.cbegin(); it != sums.cend(); ++it) {
            curve.points.append(QPointF(it.key(), it.value().first / it.value().second));
        }
        if (!curve.points.isEmpty()) {
            plot.curves.append(curve);
        }
    }
    return plot;
}

ComparisonPlot perplexityByBytes(const std::vector<RunCurves>& runs, const QStringList& labels) {
    ComparisonPlot plot;
    plot.xTitle = tr("bytes of the compressed matrices (MB)");
    plot.yTitle = tr("perplexity");
    plot.emptyText =
        tr("No perplexity was measured for these runs. Select them and press Measure perplexity.");
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const double perplexity = perplexityOf(runs[i].run);
        const int index = static_cast<int>(i);
        if (std::isfinite(perplexity)) {
            Curve curve = curveOf(labels[index], index, Curve::Style::Points);
            curve.points.append(
                QPointF(static_cast<double>(runs[i].run.layerBytes) / 1e6, perplexity));
            plot.curves.append(curve);
        }
    }
    return plot;
}

}  // namespace

ComparisonPlot compareRuns(const std::vector<RunCurves>& runs, Comparison comparison) {
    const QStringList labels = runLabels(runs);
    switch (comparison) {
        case Comparison::ErrorByLayer:
            return errorByLayer(runs, labels);
        case Comparison::ErrorByIteration:
            return errorByIteration(runs, labels);
        case Comparison::PerplexityByBytes:
            return perplexityByBytes(runs, labels);
    }
    return {};
}

}  // namespace cospadi::ui
