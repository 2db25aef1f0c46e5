// The help line of the Plan page: says what the field means that the pointer is over or the
// keyboard has moved into.
#pragma once

#include <QLabel>

namespace cospadi::ui {

class PlanHelp : public QLabel {
    Q_OBJECT

  public:
    explicit PlanHelp(QWidget* parent = nullptr);

    // symbol: the paper's, with the place where it stands. The field has all its parts already.
    void explain(QWidget* field, const QString& symbol, const QString& help);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
};

}  // namespace cospadi::ui
