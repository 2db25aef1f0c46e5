// A prediction for the whole model as charts and texts have it
// (core/allocation/model_prediction.h).
#pragma once

#include <QList>
#include <QPointF>
#include <QString>
#include <optional>
#include <vector>

#include "core/allocation/model_prediction.h"
#include "core/store/run_row.h"
#include "core/store/run_specification.h"
#include "ui/models/curve.h"
#include "ui/models/heat_map_data.h"

namespace cospadi::ui {

// Perplexity over CR, both ways of sharing the bytes; where that of the model is unknown, times it.
struct PredictedPerplexities {
    QList<QPointF> shared;
    QList<QPointF> uniform;
};

// As far as anything is left of the model. Of some thirty targets, with the pins, limits and
// exclusions of this one: a tenth of a second.
PredictedPerplexities perplexitiesOver(const ModelPredictor& predictor, PredictionTarget target);

// What a run with these settings, of all layers that count, came to on the text that is predicted.
struct MeasuredPerplexity {
    QString id;
    QString run;    // its name
    double cr = 0;  // of its matrices, as stored
    double perplexity = 0;
    bool uniform = false;
};

// ratio, ratios, allocation, layers and iterations of the specification do not count.
std::vector<MeasuredPerplexity> measuredPerplexities(const std::vector<RunRow>& runs,
                                                     const RunSpecification& specification,
                                                     const ModelCurves& curves);

// Both ways over CR, the setting at hand, and the runs as points in the looks that they have in
// every chart.
QList<Curve> predictedCurves(const PredictedPerplexities& over,
                             const std::optional<Prediction>& here,
                             const std::vector<MeasuredPerplexity>& runs);

// CR in percent: blocks across, kinds down. Marks: P pinned, ≤ limited, × left out.
HeatMapData ratioMap(const ModelCurves& curves, const Prediction& prediction,
                     const PredictionTarget& target, const QString& chosen);
// The layer in a cell of that map; empty where there is none.
QString layerInCell(const ModelCurves& curves, int row, int column);

// Rich text: a table of both predictions, and what the next megabyte brings.
QString predictionTable(const ModelCurves& curves, const Prediction& shared,
                        const std::optional<Prediction>& uniform);
// Rich text: why not to rely on it; empty where there is no reason.
QString doubtsOf(const Prediction& prediction);

// The run that makes a prediction true: every matrix its ratio, without those that are left out.
RunSpecification runOf(RunSpecification specification, const Prediction& prediction);

}  // namespace cospadi::ui
