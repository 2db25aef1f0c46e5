#include "ui/models/run_axes.h"

#include <QLocale>
#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>

#include "core/report/average_accuracy.h"
#include "core/report/report.h"
#include "core/report/run_dimensions.h"
#include "core/report/run_metrics.h"
#include "ui/base/translated.h"
#include "ui/models/error_words.h"
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
    const auto add = [&](const QString& key, const QString& name,
                         const std::function<double(const RunRow&)>& value,
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
        result.axes.append({name, categories,
                            categories.isEmpty() && least > 0 && greatest > kWideRange * least,
                            key});
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
        QStringLiteral("method"), Words::tr("method"),
        [&](const RunRow& run) {
            return static_cast<double>(methods.indexOf(labels[&run - runs.data()]));
        },
        methods);
    add(QStringLiteral("cr"), Words::tr("CR"),
        [](const RunRow& run) { return run.method == "dense" ? unknownNumber : run.cr; });
    add(QStringLiteral("rho"), Words::tr("ρ"), [](const RunRow& run) {
        return isSparse(run) && !run.hasAutoRho() ? run.rho : unknownNumber;
    });
    add(QStringLiteral("iterations"), Words::tr("iterations"), iterationCount);
    const auto bytes = measured("bytes");
    const auto error = measured("error");
    std::vector<RunRow> withErrors;  // what theirs are errors of
    std::copy_if(runs.begin(), runs.end(), std::back_inserter(withErrors),
                 [&error](const RunRow& run) { return std::isfinite(error(run)); });
    add(QStringLiteral("bytes"), Words::tr("MB"),
        [&bytes](const RunRow& run) { return bytes(run) / 1e6; });
    add(QStringLiteral("seconds"), Words::tr("seconds"), measured("seconds"));
    add(QStringLiteral("error"), errorTitle(errorKindOf(withErrors)), error);
    add(QStringLiteral("perplexity"), Words::tr("perplexity"), measured("perplexity"));
    const QString average = QString::fromLatin1(kAverageAccuracy);
    add(average, average, measured(kAverageAccuracy));
    const std::vector<std::string> tasks = taskMetrics(runs);
    for (std::size_t i = 0; i < std::min(tasks.size(), kMostTasks); ++i) {
        const QString task = QString::fromStdString(tasks[i]);
        add(task, task, measured(tasks[i]));
    }
    return result;
}

ParallelRuns arranged(const ParallelRuns& runs, const QStringList& order,
                      const QStringList& hidden) {
    const auto calls = [&](qsizetype axis) {
        return [&runs, axis](const QString& word) { return runs.axes[axis].isCalled(word); };
    };
    QList<qsizetype> places;  // of the axes that stay, in their new order
    for (qsizetype axis = 0; axis < runs.axes.size(); ++axis) {
        if (std::none_of(hidden.begin(), hidden.end(), calls(axis))) {
            places.append(axis);
        }
    }
    const auto rank = [&](qsizetype axis) {
        return std::find_if(order.begin(), order.end(), calls(axis)) - order.begin();
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
