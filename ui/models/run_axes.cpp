#include "ui/models/run_axes.h"

#include <QLocale>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "core/report/average_accuracy.h"
#include "core/report/report.h"
#include "core/report/run_dimensions.h"
#include "core/report/run_metrics.h"
#include "ui/base/translated.h"
#include "ui/models/run_looks.h"

namespace cospadi::ui {

namespace {

constexpr double kWideRange = 30;  // greatest over least: more reads better as a logarithm
constexpr std::size_t kMostTasks = 3;

}  // namespace

ParallelRuns parallelRuns(const std::vector<RunRow>& runs) {
    ParallelRuns result;
    QStringList labels;  // a run's
    QStringList methods;
    for (const RunRow& run : runs) {
        labels << QString::fromStdString(methodLabel(run));
        if (!methods.contains(labels.last())) {
            methods << labels.last();
        }
        ParallelLine line;
        line.key = QString::fromStdString(run.id);
        const QString own = ownName(run);  // of very many: without reading their settings again
        line.name = own.isEmpty() ? QStringLiteral("%1, CR %2 · %3")
                                        .arg(labels.last(), QLocale().toString(run.cr, 'f', 2),
                                             line.key.right(6))
                                  : own;
        result.lines.append(line);
    }
    std::sort(methods.begin(), methods.end(), [](const QString& a, const QString& b) {
        return methodRank(a.toStdString()) != methodRank(b.toStdString())
                   ? methodRank(a.toStdString()) < methodRank(b.toStdString())
                   : a < b;
    });
    const auto add = [&](const QString& name, const std::function<double(const RunRow&)>& value,
                         const QStringList& categories = {}) {
        QList<double> values;
        double least = std::numeric_limits<double>::infinity();
        double greatest = -least;
        for (const RunRow& run : runs) {
            values.append(value(run));
            if (std::isfinite(values.last())) {
                least = std::min(least, values.last());
                greatest = std::max(greatest, values.last());
            }
        }
        if (least > greatest) {
            return;  // nobody has it
        }
        result.axes.append(
            {name, categories, categories.isEmpty() && least > 0 && greatest > kWideRange * least});
        for (int i = 0; i < values.size(); ++i) {
            result.lines[i].values.append(values[i]);
        }
    };
    const auto measured = [&runs](const std::string& metric) {
        return [metric, measure = commonMeasure(runs, metric)](const RunRow& run) {
            return metricOf(run, metric, measure);
        };
    };
    add(
        Words::tr("method"),
        [&](const RunRow& run) {
            return static_cast<double>(methods.indexOf(labels[&run - runs.data()]));
        },
        methods);
    add(Words::tr("CR"),
        [](const RunRow& run) { return run.method == "dense" ? unknownNumber : run.cr; });
    add(Words::tr("ρ"), [](const RunRow& run) {
        return isSparse(run) && !run.hasAutoRho() ? run.rho : unknownNumber;
    });
    add(Words::tr("iterations"), iterationCount);
    const auto bytes = measured("bytes");
    add(Words::tr("MB"), [&bytes](const RunRow& run) { return bytes(run) / 1e6; });
    add(Words::tr("seconds"), measured("seconds"));
    add(Words::tr("error"), measured("error"));
    add(Words::tr("perplexity"), measured("perplexity"));
    add(QString::fromLatin1(kAverageAccuracy), measured(kAverageAccuracy));
    const std::vector<std::string> tasks = taskMetrics(runs);
    for (std::size_t i = 0; i < std::min(tasks.size(), kMostTasks); ++i) {
        add(QString::fromStdString(tasks[i]), measured(tasks[i]));
    }
    return result;
}

ParallelRuns arranged(const ParallelRuns& runs, const QStringList& order,
                      const QStringList& hidden) {
    QList<qsizetype> places;  // of the axes that stay, in their new order
    for (qsizetype axis = 0; axis < runs.axes.size(); ++axis) {
        if (!hidden.contains(runs.axes[axis].name)) {
            places.append(axis);
        }
    }
    const auto rank = [&](qsizetype axis) {
        const qsizetype named = order.indexOf(runs.axes[axis].name);
        return named >= 0 ? named : order.size();
    };
    std::stable_sort(places.begin(), places.end(),
                     [&](qsizetype a, qsizetype b) { return rank(a) < rank(b); });
    ParallelRuns result;
    for (const qsizetype place : places) {
        result.axes.append(runs.axes[place]);
    }
    for (const ParallelLine& line : runs.lines) {
        ParallelLine kept{line.key, line.name, {}};
        for (const qsizetype place : places) {
            kept.values.append(line.values.value(place, unknownNumber));
        }
        result.lines.append(kept);
    }
    return result;
}

}  // namespace cospadi::ui
