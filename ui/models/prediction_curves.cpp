#include "ui/models/prediction_curves.h"

#include <QFileInfo>
#include <QLocale>
#include <QRegularExpression>
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include "core/base/error.h"
#include "core/base/resources.h"
#include "core/explore/whole_model.h"
#include "core/store/run_settings.h"
#include "ui/base/format.h"
#include "ui/base/phrase_words.h"
#include "ui/base/theme.h"
#include "ui/base/translated.h"
#include "ui/models/run_looks.h"

namespace cospadi::ui {

namespace {

constexpr int kTargets = 30;
// Nats a token: no loss of a model that guesses, whatever the curves say there.
constexpr double kMostLoss = 8;
constexpr int kMostNamed = 6;     // runs in the legend
constexpr double kLeastSpan = 2;  // of losses that a chart shows

double told(const Prediction& prediction) {
    return prediction.perplexity > 0 ? prediction.perplexity : std::exp(prediction.loss);
}

// The first few matrices say nothing of a model: nothing is told until they make sense.
bool isTold(const Prediction& prediction, const ModelCurves& curves) {
    return curves.isComplete || prediction.loss <= kMostLoss;
}

// What must agree for a run to be one that was predicted.
std::map<std::string, std::string> comparable(RunSpecification specification) {
    const RunSpecification usual;
    specification.cr = usual.cr;
    specification.ratios.clear();
    specification.allocation = usual.allocation;
    specification.layers = usual.layers;
    std::map<std::string, std::string> settings = settingsOf(specification);
    for (const char* place : {"model", "model_sha256", "calibration.text", "seed"}) {
        settings.erase(place);
    }
    return settings;
}

// Kinds in the order of the model, blocks ascending.
struct Grid {
    std::vector<std::string> kinds;
    std::vector<std::int64_t> blocks;

    explicit Grid(const ModelCurves& curves) {
        std::set<std::int64_t> sorted;
        for (const LayerCurve& layer : curves.layers) {
            if (std::find(kinds.begin(), kinds.end(), layer.kind) == kinds.end()) {
                kinds.push_back(layer.kind);
            }
            sorted.insert(layer.block);
        }
        blocks.assign(sorted.begin(), sorted.end());
    }

    qsizetype placeOf(const LayerCurve& layer) const {
        const auto row = std::find(kinds.begin(), kinds.end(), layer.kind) - kinds.begin();
        const auto column = std::find(blocks.begin(), blocks.end(), layer.block) - blocks.begin();
        return static_cast<qsizetype>(row) * static_cast<qsizetype>(blocks.size()) +
               static_cast<qsizetype>(column);
    }
};

QString megabytes(double bytes) {  // with the digits of the field for the size
    return Words::tr("%1 MB").arg(QLocale().toString(bytes / 1e6, 'f', 1));
}

QString tableRow(const QString& name, const Prediction& p, bool isTold) {
    const QString loss = isTold ? QLocale().toString(p.loss, 'f', 4) : kMissing;
    const QString perplexity =
        (p.perplexity > 0 ? QString() : QStringLiteral("× ")) + QLocale().toString(told(p), 'f', 2);
    return QStringLiteral(
               "<tr><td>%1&nbsp;&nbsp;</td><td align='right'>%2&nbsp;&nbsp;</td>"
               "<td align='right'>%3&nbsp;&nbsp;</td><td align='right'>%4&nbsp;&nbsp;"
               "</td><td align='right'>%5&nbsp;&nbsp;</td>"
               "<td align='right'><b>%6</b></td></tr>")
        .arg(name, QLocale().toString(p.cr(), 'f', 3), megabytes(p.bytes), megabytes(p.modelBytes),
             loss, isTold ? perplexity : Words::tr("no estimate yet"));
}

}  // namespace

PredictedPerplexities perplexitiesOver(const ModelPredictor& predictor, PredictionTarget target) {
    struct Predicted {
        bool uniform;
        Prediction prediction;
    };
    std::vector<Predicted> all;
    target.bytes.reset();
    const double least = std::max(0.05, predictor.smallestRatio());
    const double most = predictor.largestRatio();
    double leastLoss = std::numeric_limits<double>::infinity();
    for (int i = 0; i <= kTargets; ++i) {
        for (const bool uniform : {false, true}) {
            target.cr = std::lerp(least, most, static_cast<double>(i) / kTargets);
            target.uniform = uniform;
            try {
                all.push_back({uniform, predictor.predict(target)});
                leastLoss = std::min(leastLoss, all.back().prediction.loss);
            } catch (const Error&) {  // no form for this one; others may have one
            }
        }
    }
    PredictedPerplexities curves;
    for (const auto& [uniform, prediction] : all) {
        if (prediction.loss <= std::max(kMostLoss, leastLoss + kLeastSpan) &&
            isTold(prediction, predictor.curves())) {
            (uniform ? curves.uniform : curves.shared).append({prediction.cr(), told(prediction)});
        }
    }
    for (QList<QPointF>* points : {&curves.shared, &curves.uniform}) {
        std::sort(points->begin(), points->end(),
                  [](const QPointF& a, const QPointF& b) { return a.x() < b.x(); });
    }
    return curves;
}

std::vector<MeasuredPerplexity> measuredPerplexities(const std::vector<RunRow>& runs,
                                                     const RunSpecification& specification,
                                                     const ModelCurves& curves) {
    std::vector<MeasuredPerplexity> measured;
    const auto wanted = comparable(specification);
    const QString predicted =
        QFileInfo(QString::fromStdString(namedText(curves.densePerplexityText).string()))
            .fileName();
    for (const RunRow& run : runs) {
        const auto own = specificationOf(run);
        if (!own || run.matrices != static_cast<std::int64_t>(curves.layers.size()) ||
            comparable(*own) != wanted) {
            continue;
        }
        for (const EvaluationRow& evaluation : run.evaluations) {
            const QString text = QString::fromStdString(evaluation.text);
            if (evaluation.kind == "perplexity" && evaluation.score == "all" &&
                evaluation.context == kPredictedContext && std::isfinite(evaluation.perplexity) &&
                evaluation.maxTokens == 0 && QFileInfo(text).fileName() == predicted) {
                measured.push_back({QString::fromStdString(run.id), nameOf(run),
                                    run.measuredRatio(), evaluation.perplexity, isUniform(*own)});
            }
        }
    }
    std::sort(measured.begin(), measured.end(),
              [](const auto& a, const auto& b) { return a.cr < b.cr; });
    return measured;
}

QList<Curve> predictedCurves(const PredictedPerplexities& over,
                             const std::optional<Prediction>& here,
                             const std::vector<MeasuredPerplexity>& runs) {
    Curve shared;
    shared.name = Words::tr("by sensitivity");
    shared.points = over.shared;
    shared.colour = theme().text;
    Curve uniform;
    uniform.name = Words::tr("uniform, as published");
    uniform.points = over.uniform;
    uniform.colour = theme().muted;
    uniform.pen = Qt::DashLine;
    QList<Curve> curves{shared, uniform};
    QStringList ids;
    for (const MeasuredPerplexity& run : runs) {
        ids << run.id;
    }
    ids.removeDuplicates();
    const QList<int> looks = looksOf(ids);
    for (const MeasuredPerplexity& run : runs) {
        Curve measured;
        measured.name = Words::tr("%1, measured").arg(run.run);
        measured.style = Curve::Style::Points;
        measured.inLegend = ids.size() <= kMostNamed;
        measured.points = {{run.cr, run.perplexity}};
        measured.pointNames = QStringList{run.run};
        setRunLook(measured, run.id, looks[ids.indexOf(run.id)]);
        curves.append(measured);
    }
    if (here && !(over.shared.isEmpty() && over.uniform.isEmpty())) {
        Curve point;
        point.name = Words::tr("this setting");
        point.points = {{here->cr(), told(*here)}};
        point.colour = theme().text;
        point.style = Curve::Style::Points;
        curves.append(point);
    }
    return curves;
}

HeatMapData ratioMap(const ModelCurves& curves, const Prediction& prediction,
                     const PredictionTarget& target, const QString& chosen) {
    const Grid grid(curves);
    HeatMapData data;
    for (const std::string& kind : grid.kinds) {
        data.rows.append(QString::fromStdString(kind));
    }
    for (const std::int64_t block : grid.blocks) {
        data.columns.append(QString::number(block));
    }
    data.values.fill(std::numeric_limits<double>::quiet_NaN(),
                     data.rows.size() * data.columns.size());
    data.marks.fill(QString(), data.values.size());
    data.columnTitle = Words::tr("block");
    data.valueTitle = Words::tr("CR (%)");
    for (std::size_t i = 0; i < curves.layers.size(); ++i) {
        const LayerCurve& layer = curves.layers[i];
        const qsizetype place = grid.placeOf(layer);
        data.values[place] = 100 * prediction.layers[i].cr;
        data.marks[place] = target.excluded.contains(layer.name) ? QStringLiteral("×")
                            : target.pins.contains(layer.name)   ? QStringLiteral("P")
                            : target.limits.contains(layer.name) ? QStringLiteral("≤")
                                                                 : QString();
        if (QString::fromStdString(layer.name) == chosen) {
            data.chosen = place;
        }
    }
    return data;
}

QString layerInCell(const ModelCurves& curves, int row, int column) {
    const Grid grid(curves);
    for (const LayerCurve& layer : curves.layers) {
        if (grid.placeOf(layer) ==
            static_cast<qsizetype>(row) * static_cast<qsizetype>(grid.blocks.size()) + column) {
            return QString::fromStdString(layer.name);
        }
    }
    return {};
}

QString predictionTable(const ModelCurves& curves, const Prediction& shared,
                        const std::optional<Prediction>& uniform) {
    QString text = QStringLiteral(
                       "<table><tr><td></td><td align='right'>CR&nbsp;&nbsp;</td>"
                       "<td align='right'>%1&nbsp;&nbsp;</td>"
                       "<td align='right'>%2&nbsp;&nbsp;</td>"
                       "<td align='right'>%3&nbsp;&nbsp;</td>"
                       "<td align='right'>%4</td></tr>")
                       .arg(Words::tr("matrices"), Words::tr("whole model"),
                            Words::tr("loss (nats)"), Words::tr("perplexity"));
    text += tableRow(Words::tr("by sensitivity"), shared, isTold(shared, curves));
    if (uniform) {
        text += tableRow(Words::tr("uniform, as published"), *uniform, isTold(*uniform, curves));
    }
    text += QStringLiteral("</table>");
    if (!isTold(shared, curves)) {
        return text;
    }
    // In small numbers exp(x) − 1 is x: what a megabyte takes from the perplexity.
    text += QStringLiteral("<p>") +
            Words::tr("One more megabyte gains %1 nats per token, %2 % of the perplexity.")
                .arg(formatNumber(shared.gainPerMegabyte, 3),
                     formatNumber(-100 * std::expm1(-shared.gainPerMegabyte), 2));
    if (curves.densePerplexity > 0) {
        text += QStringLiteral(" ") +
                Words::tr("The uncompressed model: %1 on the %2 tokens of %3.")
                    .arg(QLocale().toString(curves.densePerplexity, 'f', 2),
                         QLocale().toString(static_cast<qlonglong>(curves.densePerplexityTokens)),
                         QString::fromStdString(curves.densePerplexityText));
    }
    return text + QStringLiteral("</p>");
}

QString doubtsOf(const Prediction& prediction) {
    if (prediction.doubts.empty()) {
        return {};
    }
    QString text = QStringLiteral("<b>%1</b><ul style='margin-left:-24px'>")
                       .arg(Words::tr("Not reliable as it stands:"));
    for (const Phrase& doubt : prediction.doubts) {
        text += QStringLiteral("<li>%1</li>").arg(phraseWords(doubt).toHtmlEscaped());
    }
    return text + QStringLiteral("</ul>");
}

RunSpecification runOf(RunSpecification specification, const Prediction& prediction) {
    specification.allocation = &uniformRule();
    specification.autoRho = false;
    specification.ratios.clear();
    specification.cr = std::round(100 * prediction.cr()) / 100;
    QStringList excluded;
    for (const LayerPrediction& layer : prediction.layers) {
        if (layer.cr > 0) {
            specification.ratios[layer.name] = layer.cr;
        } else {
            excluded << QRegularExpression::escape(QString::fromStdString(layer.name));
        }
    }
    specification.layers = excluded.isEmpty()
                               ? ".*"
                               : QStringLiteral("^(?!(%1)$)").arg(excluded.join('|')).toStdString();
    return specification;
}

}  // namespace cospadi::ui
