#include "ui/models/metric_curves.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/report/average_accuracy.h"
#include "core/report/pareto_front.h"
#include "core/report/published_values.h"
#include "core/report/report.h"
#include "core/report/run_dimensions.h"
#include "core/store/run_settings.h"
#include "ui/base/theme.h"
#include "ui/base/translated.h"
#include "ui/models/run_axes.h"
#include "ui/models/run_names.h"
#include "ui/models/series_look.h"

namespace cospadi::ui {

namespace {

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
    return metric == "perplexity"       ? tr("perplexity")
           : metric == kAverageAccuracy ? tr("mean accuracy of the paper's eight tasks")
           : metric == "error"       ? tr("mean whitened relative error (ended ones: their last)")
           : metric == kHeldOutError ? tr("mean relative error on held-out text")
           : metric == "bytes"       ? tr("bytes of the compressed matrices")
           : metric == "ratio"       ? tr("storage removed, as measured")
           : metric == kGlobalRatio  ? tr("storage removed of all linear layers, as measured")
                                     : QString::fromStdString(metric);
}

// Runs of one group are told apart by the chart alone: they do the same but for what x is.
struct RunGroup {
    QString method;
    std::map<std::string, std::string> settings;
    std::vector<const RunRow*> runs;
};

// The settings of a run that count, but for one, and what follows from that one:
// the bits of a coefficient that a ratio implies are no choice in which two runs differ.
std::map<std::string, std::string> settingsBut(const RunRow& run, const std::string& dimension) {
    std::optional<RunSpecification> specification = specificationOf(run);
    if (specification) {
        const RunSpecification usual;
        specification->cr = dimension == "cr" ? usual.cr : specification->cr;
        specification->rho = dimension == "rho" ? usual.rho : specification->rho;
        specification->iterations =
            dimension == "iterations" ? usual.iterations : specification->iterations;
    }
    std::map<std::string, std::string> settings =
        specification ? settingsOf(*specification) : settingsOf(run);
    settings.erase(dimension);
    return settings;
}

// dimension: the setting that x is; empty where it is a measured one. Then points are what is drawn
// and need not agree in more than their label, the model and its layers.
std::vector<RunGroup> groupsOf(const std::vector<RunRow>& runs, const std::string& dimension) {
    std::map<std::pair<std::string, std::map<std::string, std::string>>, RunGroup> groups;
    for (const RunRow& run : runs) {
        std::map<std::string, std::string> settings = settingsBut(run, dimension);
        if (dimension.empty()) {
            std::erase_if(settings, [](const auto& setting) {
                return setting.first != "layers" && setting.first != "model";
            });
        }
        const std::string label = methodLabel(run, {dimension});
        RunGroup& group = groups[{label, settings}];
        group.method = QString::fromStdString(label);
        group.settings = settings;
        group.runs.push_back(&run);
    }
    std::vector<RunGroup> result;
    for (auto& [key, group] : groups) {
        result.push_back(std::move(group));
    }
    return result;
}

std::string settingOnX(Comparison against) {
    return against == Comparison::ByCr           ? "cr"
           : against == Comparison::ByRho        ? "rho"
           : against == Comparison::ByIterations ? "iterations"
                                                 : "";
}

// What no other run of the same layers beats in both, a front for each set of layers: bytes
// ascending, the metric ever better. keys: a curve's layers and model.
QList<Curve> paretoFronts(const QList<Curve>& curves, const std::vector<std::string>& keys,
                          bool lowIsGood) {
    std::vector<ParetoPoint> points;
    std::map<std::string, QList<QPointF>> fronts;
    for (qsizetype i = 0; i < curves.size(); ++i) {
        for (const QPointF& point : curves[i].points) {
            points.push_back(
                {keys[static_cast<std::size_t>(i)], point.x(), lowIsGood ? point.y() : -point.y()});
        }
    }
    const std::vector<bool> isOnFront = paretoFront(points);
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (isOnFront[i]) {
            fronts[points[i].group].append(
                QPointF(points[i].bytes, lowIsGood ? points[i].value : -points[i].value));
        }
    }
    QList<Curve> result;
    for (auto& [key, front] : fronts) {
        std::sort(front.begin(), front.end(),
                  [](const QPointF& a, const QPointF& b) { return a.x() < b.x(); });
        front.erase(std::unique(front.begin(), front.end()), front.end());  // equal runs
        if (front.size() > 1) {
            Curve curve;
            curve.name = tr("Pareto front");
            curve.inLegend = result.isEmpty();
            curve.colour = theme().muted;
            curve.pen = Qt::DotLine;
            curve.points = front;
            result.append(curve);
        }
    }
    return result;
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

}  // namespace

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
        : isAverageAccuracy(name)
            ? tr("No run has the mean of accuracies: %1. The Evaluate page measures tasks.")
                  .arg(QString::fromStdString(howToMeasure(runs, name, measure)))
        : measure.task.has_value() || name.find('/') != std::string::npos
            ? tr("lm-eval did not measure %1 of these runs.").arg(QString::fromStdString(name))
            : tr("None of these runs has a value to draw. ρ and iterations belong to CoSpaDi "
                 "runs.");
    plot.note = QString::fromStdString(measure.label);
    if (const auto others = measuredOtherwise(runs, name, measure); others > 0) {
        plot.note += tr(" · %1 runs measured otherwise are left out").arg(others);
    }
    const std::string dimension = settingOnX(against);
    std::vector<NamedSettings> kinds;
    std::vector<std::string> comparables;  // a curve's layers and model
    for (const RunGroup& group : groupsOf(runs, dimension)) {
        std::map<double, const RunRow*> latest;
        Curve curve;
        for (const RunRow* run : group.runs) {
            const double x = valueOf(*run, against);
            const double y = metricOf(*run, name, measure);
            if (!std::isfinite(x) || !std::isfinite(y)) {
                continue;
            }
            if (bytes) {
                addPoint(curve, QPointF(x, y), QString::fromStdString(run->id));
            } else if (const auto [known, isNew] = latest.try_emplace(x, run);
                       !isNew && known->second->created < run->created) {
                known->second = run;
            }
        }
        for (const auto& [x, run] : latest) {
            addPoint(curve, QPointF(x, metricOf(*run, name, measure)),
                     QString::fromStdString(run->id));
        }
        if (curve.points.isEmpty()) {
            continue;
        }
        setSeriesLook(curve, static_cast<int>(plot.curves.size()));
        curve.style = bytes ? Curve::Style::Points : Curve::Style::LineAndPoints;
        plot.curves.append(curve);
        kinds.push_back({group.method, group.settings, curve.pointNames.first()});
        const RunRow& any = *group.runs.front();
        comparables.push_back(layersLabel(any) + '\n' +
                              (any.modelSha256.empty() ? any.model : any.modelSha256));
    }
    const QStringList names = namesOf(kinds, {dimension});
    for (qsizetype i = 0; i < plot.curves.size(); ++i) {
        plot.curves[i].name = names[i];
    }
    if (bytes && !plot.curves.isEmpty()) {
        const bool lowIsGood =
            measure.task ? !measure.task->higherIsBetter : metric.best == BestValue::Lowest;
        const QList<Curve> fronts = paretoFronts(plot.curves, comparables, lowIsGood);
        const std::set<std::string> sets(comparables.begin(), comparables.end());
        if (sets.size() > 1) {
            plot.note += (plot.note.isEmpty() ? QString() : QStringLiteral(" · ")) +
                         tr("a Pareto front for each set of layers");
        }
        plot.curves.append(fronts);
    }
    return plot;
}

QList<PublishedCurve> publishedCurves(const std::vector<PublishedTable>& tables,
                                      const std::string& metric, Comparison comparison) {
    const std::string dimension = settingOnX(comparison);
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

}  // namespace cospadi::ui
