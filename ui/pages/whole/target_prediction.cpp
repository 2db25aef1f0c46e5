#include "ui/pages/whole/target_prediction.h"

#include "core/base/error.h"

namespace cospadi::ui {

void TargetPrediction::setCurves(const ModelCurves& curves, const MatrixOptions& options) {
    m_predictor = std::make_shared<const ModelPredictor>(curves, options);
}

void TargetPrediction::clear() {
    m_predictor.reset();
    m_shared.reset();
    m_uniform.reset();
    m_overRatios = {};
    m_work.forget();
}

QString TargetPrediction::predict(PredictionTarget target) {
    if (!m_predictor) {
        return {};
    }
    QString problem;
    target.uniform = false;
    try {
        m_shared = m_predictor->predict(target);
    } catch (const Error& error) {
        m_shared.reset();
        problem = QString::fromStdString(error.what());
    }
    target.uniform = true;
    try {
        m_uniform = m_predictor->predict(target);
    } catch (const Error&) {  // one ratio for all may have no form where sharing has
        m_uniform.reset();
    }
    return problem;
}

void TargetPrediction::predictOverRatios(const PredictionTarget& target) {
    if (!m_predictor) {
        return;
    }
    m_work.ask([predictor = m_predictor, target] { return perplexitiesOver(*predictor, target); },
               [this](const PredictedPerplexities& over) {
                   m_overRatios = over;
                   emit overRatiosChanged();
               },
               [](const Error&) {});  // told for the target itself
}

}  // namespace cospadi::ui
