// "What it costs": the bytes of a plan as a bar, k and s of the layer under the cursor, predicted
// time and memory; or why there is no such plan. Is told what to show; computes nothing.
#pragma once

#include "core/model/layer_info.h"
#include "core/store/run_specification.h"
#include "ui/models/plan_cost.h"
#include "ui/widgets/card.h"

class QLabel;
class QPushButton;

namespace cospadi::ui {

class BytesBar;

class PlanCostCard : public Card {
    Q_OBJECT

  public:
    explicit PlanCostCard(QWidget* parent = nullptr);

    void showProblem(const QString& words, bool isWithoutLayers);
    void showBytes(const PlanBytes& bytes, std::size_t layers);
    // unit: the layer, or those that it shares with. Throws Error where it has no budget.
    void showLayer(const RunSpecification& plan, const LayerInfo& layer, const LayerUnit& unit);
    void clearLayer();
    // seconds: of all runs of the plan.
    void showPrediction(const RunSpecification& plan, const PlanCost& cost, double seconds);
    void clearPrediction();

  signals:
    void layersWanted();  // where there are none

  private:
    QLabel* m_total;
    QPushButton* m_choose;
    BytesBar* m_bar;
    QLabel* m_layer;
    QLabel* m_prediction;
};

}  // namespace cospadi::ui
