// The axes of a CurveChart: which part of the curves is seen, and where its ticks are.
#include <QCategoryAxis>
#include <algorithm>
#include <cmath>

#include "ui/charts/axis_ticks.h"
#include "ui/charts/curve_chart.h"
#include "ui/charts/curve_layer.h"

namespace cospadi::ui {

namespace {

constexpr int kAroundThePlot = 60;  // pixels: legend, labels and title of x
constexpr int kLabelHeight = 16;    // of y, with some air

}  // namespace

void CurveChart::updateAxes() {
    Extent all;
    for (const Entry& entry : m_entries) {
        all.left = std::min(all.left, entry.extent.left);
        all.right = std::max(all.right, entry.extent.right);
        all.least = std::min(all.least, entry.extent.least);
        all.greatest = std::max(all.greatest, entry.extent.greatest);
    }
    const double left = all.left;
    const double right = all.right;
    const double least = all.least;
    const double greatest = all.greatest;
    const auto pairs = [](const QList<Tick>& ticks) {
        QList<QPair<double, QString>> result;
        for (const Tick& tick : ticks) {
            result.append({tick.position, tick.label});
        }
        return result;
    };
    const int xCount = std::max(3, plotPixels() / 90);
    const int yCount = std::max(3, height() / 60);
    const int mostLogarithmic = std::max(3, (height() - kAroundThePlot) / kLabelHeight);
    const AxisTicks x = linearTicks(left, right, xCount, m_wholeX);
    const AxisTicks y = m_logarithmic
                            ? logarithmicTicks(least, greatest, mostLogarithmic)
                            : linearTicks(m_zeroBased && least > 0 ? 0 : least, greatest, yCount);
    const double low = m_xTicks.isEmpty() ? x.low : left <= right ? left - m_xMargin : 0;
    const double high = m_xTicks.isEmpty() ? x.high : left <= right ? right + m_xMargin : 1;
    m_full = QRectF(QPointF(low, y.low), QPointF(high, y.high));
    if (!m_zoomed) {
        setArea(m_full, m_xTicks.isEmpty() ? pairs(x.ticks) : m_xTicks, pairs(y.ticks));
        return;
    }
    const QRectF area = *m_zoomed;
    const QList<QPair<double, QString>> xTicks =
        m_xTicks.isEmpty() ? pairs(linearTicks(area.left(), area.right(), xCount, m_wholeX).ticks)
                           : m_xTicks;
    const bool wide = m_logarithmic && area.height() > 0.15;  // else 1-2-5 steps leave no tick
    QList<QPair<double, QString>> yTicks = pairs(
        wide ? logarithmicTicks(std::pow(10, area.top()), std::pow(10, area.bottom()),
                                mostLogarithmic)
                   .ticks
             : linearTicks(m_logarithmic ? std::pow(10, area.top()) : area.top(),
                           m_logarithmic ? std::pow(10, area.bottom()) : area.bottom(), yCount)
                   .ticks);
    for (auto& [position, label] : yTicks) {
        position = m_logarithmic && !wide ? std::log10(position) : position;
    }
    setArea(area, xTicks, yTicks);
}

void CurveChart::setArea(const QRectF& area, const QList<QPair<double, QString>>& xTicks,
                         const QList<QPair<double, QString>>& yTicks) {
    setTicks(m_x, area.left(), area.right(), xTicks);
    setTicks(m_y, area.top(), area.bottom(), yTicks);
    m_layer->setArea(area);
}

void CurveChart::setTicks(QCategoryAxis* axis, double low, double high,
                          const QList<QPair<double, QString>>& ticks) {
    QStringList labels;
    QList<double> ends;
    for (const auto& [position, label] : ticks) {
        labels << label;
        ends << position;
    }
    bool same = axis->min() == low && axis->max() == high && axis->categoriesLabels() == labels;
    for (int i = 0; same && i < labels.size(); ++i) {
        same = axis->endValue(labels[i]) == ends[i];
    }
    if (same) {
        return;
    }
    for (const QString& label : axis->categoriesLabels()) {
        axis->remove(label);
    }
    axis->setStartValue(low - 1);  // a category may not begin where it ends
    axis->setRange(low, high);
    for (int i = 0; i < labels.size(); ++i) {
        if (ends[i] >= low - 1e-9 && ends[i] <= high + 1e-9) {
            axis->append(labels[i], ends[i]);
        }
    }
}

}  // namespace cospadi::ui
