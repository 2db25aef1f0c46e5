// What becomes of one matrix of a whole model, whatever is best for the rest: nothing in
// particular, a ratio of its own, at most a ratio, or left as it is.
#pragma once

#include <QWidget>

#include "core/allocation/model_prediction.h"

class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QPushButton;

namespace cospadi::ui {

class MatrixFate : public QWidget {
    Q_OBJECT

  public:
    explicit MatrixFate(QWidget* parent = nullptr);

    // The matrix at hand, as it is in the target, with what was predicted of it.
    void show(const QString& layer, const PredictionTarget& target, const LayerPrediction& now);
    void setTarget(const PredictionTarget& target);
    // As before the first; also the target is none.
    void chooseNothing();

  signals:
    void changed(const cospadi::PredictionTarget& target);

  private:
    enum Fate { Free, Pinned, Limited, Excluded };

    void apply();

    PredictionTarget m_target;
    QString m_layer;
    QLabel* m_name;
    QComboBox* m_fate;
    QDoubleSpinBox* m_ratio;
    QPushButton* m_freeAll;
};

}  // namespace cospadi::ui
