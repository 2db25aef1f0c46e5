// Atom usage: how many columns of S use each atom, sorted. A flat curve means that every atom earns
// its bytes; a tail at zero is dead atoms.
#pragma once

#include "ui/charts/curve_chart.h"

namespace cospadi::ui {

class UsageChart : public CurveChart {
    Q_OBJECT

  public:
    explicit UsageChart(QWidget* parent = nullptr);

    // counts: descending; all atoms or quantiles of them.
    void setUsage(const QString& matrix, const QList<double>& counts);
};

}  // namespace cospadi::ui
