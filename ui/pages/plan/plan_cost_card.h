// "What it costs": the bytes of a plan as a bar, k and s of the layer under the cursor, predicted
// time and memory; or why there is no such plan. Is told what to show; computes nothing.
#pragma once

#include "core/model/layer_info.h"
#include "core/store/run_specification.h"
#include "ui/models/plan_cost.h"
#include "ui/widgets/card.h"

class QLabel;

namespace cospadi::ui {

class BytesBar;

class PlanCostCard : public Card {
    Q_OBJECT

  public:
    explicit PlanCostCard(QWidget* parent = nullptr);

    void showProblem(const QString& words);
    void showBytes(const PlanBytes& bytes, std::size_t layers);
    // d1 = 0: of no layer. Throws Error where the layer has no budget.
    void showLayer(const RunSpecification& plan, const LayerInfo& layer);
    // seconds: of all runs of the plan.
    void showPrediction(const RunSpecification& plan, const PlanCost& cost, double seconds);
    void clearPrediction();

  private:
    QLabel* m_total;
    BytesBar* m_bar;
    QLabel* m_layer;
    QLabel* m_prediction;
};

}  // namespace cospadi::ui
