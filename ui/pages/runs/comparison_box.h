// Which comparison of runs is drawn. Remembered in the window's settings (runs/comparison).
#pragma once

#include <QComboBox>

#include "ui/models/comparison_curves.h"

namespace cospadi::ui {

class ComparisonBox : public QComboBox {
    Q_OBJECT

  public:
    explicit ComparisonBox(QWidget* parent = nullptr);

    Comparison comparison() const;
    void setComparison(Comparison comparison);
};

}  // namespace cospadi::ui
