// The map of the page "Whole model": the CR that every matrix is predicted to have. A click chooses
// one, whose fate is decided below it (matrix_fate.h).
#pragma once

#include "core/allocation/model_prediction.h"
#include "ui/widgets/card.h"

namespace cospadi::ui {

class HeatMap;
class MatrixFate;
class TargetPrediction;

class RatioMapCard : public Card {
    Q_OBJECT

  public:
    // prediction: what is shown of it; outlives the card.
    explicit RatioMapCard(const TargetPrediction* prediction, QWidget* parent = nullptr);

    void show(const PredictionTarget& target);  // with what was predicted for it
    void clear();                               // the map; what is chosen stays
    void chooseNothing();

  signals:
    // Of the target only pins, limits and exclusions are another.
    void targetChanged(const cospadi::PredictionTarget& target);
    void exported(const QString& path);

  private:
    const TargetPrediction* m_prediction;
    PredictionTarget m_target;
    QString m_chosen;  // matrix
    HeatMap* m_map;
    MatrixFate* m_fate;
};

}  // namespace cospadi::ui
