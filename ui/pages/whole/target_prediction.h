// What compressing the whole model will come to for one target, from the curves of its matrices:
// both ways of sharing the bytes, at the target at once, and over every CR on a pool thread. GUI
// thread only.
#pragma once

#include <QObject>
#include <QString>
#include <memory>
#include <optional>

#include "core/allocation/model_prediction.h"
#include "ui/base/latest_work.h"
#include "ui/models/prediction_curves.h"

namespace cospadi::ui {

class TargetPrediction : public QObject {
    Q_OBJECT

  public:
    using QObject::QObject;

    // options: what the curves belong to. Predicts nothing yet. Throws Error where nothing can be
    // predicted from them; those before stay then.
    void setCurves(const ModelCurves& curves, const MatrixOptions& options);
    void clear();  // there are no curves any more, nor anything that came of them
    const ModelCurves* curves() const { return m_predictor ? &m_predictor->curves() : nullptr; }

    // Without curves both do nothing. predict(): why there is nothing to share; empty: there is.
    QString predict(PredictionTarget target);
    void predictOverRatios(const PredictionTarget& target);  // ends in overRatiosChanged()

    const std::optional<Prediction>& shared() const { return m_shared; }
    const std::optional<Prediction>& uniform() const { return m_uniform; }
    const PredictedPerplexities& overRatios() const { return m_overRatios; }

  signals:
    void overRatiosChanged();

  private:
    std::shared_ptr<const ModelPredictor> m_predictor;
    std::optional<Prediction> m_shared;
    std::optional<Prediction> m_uniform;
    PredictedPerplexities m_overRatios;
    LatestWork m_work;
};

}  // namespace cospadi::ui
