#include "ui/charts/usage_chart.h"

#include <algorithm>

#include "ui/base/theme.h"

namespace cospadi::ui {

UsageChart::UsageChart(QWidget* parent) : CurveChart(parent) {
    setAxisTitles(tr("atoms, most used first (% of k)"), tr("columns that use it"));
    setZeroBased(true);
    setEmptyText(tr("How often each atom is used, once a dictionary is being learned."));
}

void UsageChart::setUsage(const QString& matrix, const QList<double>& counts) {
    if (counts.isEmpty()) {
        setCurves({});
        return;
    }
    Curve curve;
    curve.colour = theme().values;
    curve.name = matrix;
    const double last = static_cast<double>(std::max<qsizetype>(counts.size() - 1, 1));
    for (qsizetype i = 0; i < counts.size(); ++i) {
        curve.points.append(QPointF(100.0 * static_cast<double>(i) / last, counts[i]));
    }
    setCurves({curve});
}

}  // namespace cospadi::ui
