// What a prediction for the whole model comes to, in numbers and with what speaks against relying
// on it; or why there is none.
#pragma once

#include "ui/widgets/card.h"

class QLabel;

namespace cospadi::ui {

class TargetPrediction;

class NumbersCard : public Card {
    Q_OBJECT

  public:
    explicit NumbersCard(QWidget* parent = nullptr);

    void show(const TargetPrediction& prediction);  // one that has come to something
    void showProblem(const QString& problem);
    void showWaiting();  // for the first estimate

  private:
    QLabel* m_numbers;
    QLabel* m_doubts;
};

}  // namespace cospadi::ui
