// The chart of the page "Whole model": predicted perplexity over CR, the setting at hand, and runs
// that were measured.
#pragma once

#include <vector>

#include "ui/models/prediction_curves.h"
#include "ui/widgets/card.h"

namespace cospadi::ui {

class CurveChart;
class TargetPrediction;

class PerplexityCard : public Card {
    Q_OBJECT

  public:
    explicit PerplexityCard(QWidget* parent = nullptr);

    // prediction: with curves.
    void show(const TargetPrediction& prediction, const std::vector<MeasuredPerplexity>& runs);
    void clear();

  signals:
    void exported(const QString& path);

  protected:
    void changeEvent(QEvent* event) override;

  private:
    void showEmptyWords();

    CurveChart* m_chart = nullptr;
};

}  // namespace cospadi::ui
