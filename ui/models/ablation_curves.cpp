#include "ui/models/ablation_curves.h"

#include <QHash>
#include <algorithm>
#include <map>
#include <set>

#include "core/report/measured_value.h"
#include "core/report/pareto_front.h"
#include "ui/base/phrase_words.h"
#include "ui/base/quantity_words.h"
#include "ui/base/theme.h"
#include "ui/base/translated.h"
#include "ui/models/error_words.h"
#include "ui/models/run_looks.h"
#include "ui/models/series_look.h"

namespace cospadi::ui {

namespace {

constexpr double kMegabyte = 1e6;
constexpr double kMillion = 1e6;

QString pointName(const AblationPoint& point) {
    const QString newest = QString::fromStdString(point.runs.front());
    return point.y.count > 1 ? Words::tr("mean of %1").arg(static_cast<qlonglong>(point.y.count))
                             : newest;
}

// The run that a curve is all of; empty where it is of several.
QString loneRun(const AblationCurve& curve) {
    const bool isOne = curve.points.size() == 1 && curve.points.front().runs.size() == 1;
    return isOne ? QString::fromStdString(curve.points.front().runs.front()) : QString();
}

// Where every curve is a run, these have the looks that they have in other charts.
using RunLooks = QHash<QString, int>;
RunLooks looksOfRuns(const AblationPlot& plot) {
    if (!plot.axes.curve.empty() || plot.facets.size() != 1) {
        return {};
    }
    QStringList runs;
    for (const AblationCurve& curve : plot.facets.front().curves) {
        runs << loneRun(curve);
    }
    if (runs.contains(QString())) {
        return {};
    }
    const QList<int> places = looksOf(runs);
    RunLooks looks;
    for (qsizetype i = 0; i < runs.size(); ++i) {
        looks.insert(runs[i], places[i]);
    }
    return looks;
}

Curve curveOf(const AblationCurve& from, const AblationAxes& axes, const RunLooks& runs) {
    Curve curve;
    curve.name = QString::fromStdString(from.name);
    const auto hues = static_cast<std::size_t>(theme().series.size());
    if (const QString run = loneRun(from); runs.contains(run)) {
        setRunLook(curve, run, runs[run]);
    } else if (axes.curve.empty()) {
        setSeriesLook(curve, static_cast<int>(from.hue));
    } else if (from.isJoined) {  // all dashes, then those of the next shade
        setSeriesLook(curve, static_cast<int>(from.hue % hues +
                                              hues * (from.dash / kSeriesRounds % kSeriesRounds)));
        curve.pen = seriesPen(static_cast<int>(from.hue % hues), static_cast<int>(from.dash));
    } else {  // points have no dashes: shades
        setSeriesLook(curve,
                      static_cast<int>(from.hue % hues + hues * (from.dash % kSeriesRounds)));
        curve.pen = Qt::SolidLine;
    }
    curve.style = from.isJoined ? Curve::Style::LineAndPoints : Curve::Style::Points;
    bool hasSpread = false;
    for (const AblationPoint& point : from.points) {
        curve.points.append(QPointF(inUnitsOf(axes.x, point.x), inUnitsOf(axes.y, point.y.mean)));
        curve.deviations.append(inUnitsOf(axes.y, point.y.deviation));
        curve.pointNames.append(pointName(point));
        hasSpread = hasSpread || point.y.count > 1;
    }
    if (!hasSpread) {
        curve.deviations = {};  // clear() keeps a pointer that Qt hands to memcmp beside null
    }
    return curve;
}

// A front for each set of layers: bytes ascending, the metric ever better.
QList<Curve> paretoFronts(const AblationFacet& facet, const AblationPlot& plot) {
    const bool lowIsGood = plot.best == BestValue::Lowest;
    std::vector<ParetoPoint> points;
    std::map<std::string, QList<QPointF>> fronts;
    for (const AblationCurve& curve : facet.curves) {
        for (const AblationPoint& point : curve.points) {
            points.push_back({curve.layers, point.x, lowIsGood ? point.y.mean : -point.y.mean});
        }
    }
    const std::vector<bool> isOnFront = paretoFront(points);
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (isOnFront[i]) {
            fronts[points[i].group].append(QPointF(inUnitsOf(plot.axes.x, points[i].bytes),
                                                   lowIsGood ? points[i].value : -points[i].value));
        }
    }
    QList<Curve> result;
    for (auto& [layers, front] : fronts) {
        std::sort(front.begin(), front.end(),
                  [](const QPointF& a, const QPointF& b) { return a.x() < b.x(); });
        front.erase(std::unique(front.begin(), front.end()), front.end());  // equal runs
        if (front.size() > 1) {
            Curve curve;
            curve.name = Words::tr("Pareto front");
            curve.inLegend = result.isEmpty();
            curve.colour = theme().muted;
            curve.pen = Qt::DotLine;
            curve.points = front;
            result.append(curve);
        }
    }
    return result;
}

bool hasSpread(const QList<AblationChart>& charts) {
    return std::any_of(charts.begin(), charts.end(), [](const AblationChart& chart) {
        return std::any_of(chart.curves.begin(), chart.curves.end(),
                           [](const Curve& curve) { return !curve.deviations.isEmpty(); });
    });
}

}  // namespace

double inUnitsOf(const std::string& quantity, double value) {
    return quantity == "bytes"            ? value / kMegabyte
           : quantity == kMultiplications ? value / kMillion
                                          : value;
}

QString axisTitle(const std::string& name, ErrorKind errors) {
    return name == "perplexity"       ? Words::tr("perplexity")
           : name == "error"          ? meanErrorTitle(errors)
           : name == kHeldOutError    ? Words::tr("mean relative error on held-out text")
           : name == "bytes"          ? Words::tr("bytes of the compressed matrices (MB)")
           : name == kMultiplications ? Words::tr("multiplications per token (millions)")
           : name == "ratio"          ? Words::tr("storage removed, as measured")
           : name == "seconds"        ? Words::tr("seconds of compression")
           : name == kMeanAccuracy    ? Words::tr("mean accuracy")
           : name == "cr"             ? Words::tr("compression ratio")
           : name == "rho"            ? Words::tr("ρ = k/s")
           : name == "iterations"     ? Words::tr("iterations")
                                      : quantityWords(name);
}

AblationCharts ablationCharts(const AblationPlot& plot) {
    AblationCharts result;
    const ErrorKind errors = errorKind(plot.hasWhitened, plot.hasPlain);
    result.xTitle = axisTitle(plot.axes.x, errors);
    result.yTitle = axisTitle(plot.axes.y, errors);
    result.wholeX = plot.axes.x == "iterations";
    for (std::size_t i = 0; i < plot.words.size(); ++i) {
        result.xTicks.append({static_cast<double>(i), QString::fromStdString(plot.words[i])});
    }
    // In the order of their looks, a place for each in every chart.
    const RunLooks runs = looksOfRuns(plot);
    QList<Curve> all;
    std::map<std::pair<std::size_t, std::size_t>, qsizetype> placeOf;
    for (const AblationFacet& facet : plot.facets) {
        for (const AblationCurve& curve : facet.curves) {
            const auto [known, isNew] = placeOf.try_emplace({curve.hue, curve.dash}, all.size());
            if (isNew) {
                Curve empty = curveOf(curve, plot.axes, runs);
                empty.points.clear();
                empty.pointNames.clear();
                empty.deviations = {};
                all.append(empty);
            }
        }
    }
    QStringList notes = phraseWords(plot.notes);
    std::set<std::string> layers;
    for (const AblationFacet& facet : plot.facets) {
        AblationChart chart{QString::fromStdString(facet.title), all};
        for (const AblationCurve& curve : facet.curves) {
            const Curve drawn = curveOf(curve, plot.axes, runs);
            chart.curves[placeOf[{curve.hue, curve.dash}]] = drawn;
            if (const QString run = loneRun(curve); runs.contains(run)) {
                result.colours.insert(run, drawn.colour);
            }
            layers.insert(curve.layers);
        }
        if (plot.axes.x == "bytes" && plot.best != BestValue::None) {
            chart.curves += paretoFronts(facet, plot);
        }
        result.charts.append(chart);
    }
    if (plot.axes.x == "bytes" && layers.size() > 1) {
        notes << Words::tr("a Pareto front for each set of layers");
    }
    if (hasSpread(result.charts)) {
        notes.prepend(Words::tr("mean ± std over seeds"));
    }
    result.note = notes.join(QStringLiteral(" · "));
    return result;
}

}  // namespace cospadi::ui
