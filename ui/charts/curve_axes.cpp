#include "ui/charts/curve_axes.h"

#include <QCategoryAxis>
#include <QChart>
#include <QFont>
#include <algorithm>
#include <cmath>

#include "ui/charts/axis_ticks.h"

namespace cospadi::ui {

namespace {

constexpr int kAroundThePlot = 60;  // pixels: legend, labels and title of x
constexpr int kLabelHeight = 16;    // of y, with some air

void style(QCategoryAxis* axis, const QFont& font) {
    axis->setLabelsPosition(QCategoryAxis::AxisLabelsPositionOnValue);
    axis->setLabelsFont(font);
    QFont titleFont = font;
    titleFont.setBold(false);
    axis->setTitleFont(titleFont);
    axis->setTruncateLabels(false);
}

NamedTicks named(const QList<Tick>& ticks) {
    NamedTicks result;
    for (const Tick& tick : ticks) {
        result.append({tick.position, tick.label});
    }
    return result;
}

void setTicks(QCategoryAxis* axis, double low, double high, const NamedTicks& ticks) {
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

}  // namespace

CurveAxes::CurveAxes(QChart* chart, const QFont& font)
    : m_x(new QCategoryAxis), m_y(new QCategoryAxis) {
    chart->addAxis(m_x, Qt::AlignBottom);
    chart->addAxis(m_y, Qt::AlignLeft);
    style(m_x, font);
    style(m_y, font);
}

void CurveAxes::setTitles(const QString& x, const QString& y) {
    m_x->setTitleText(x);
    m_y->setTitleText(y);
}

QString CurveAxes::xTitle() const { return m_x->titleText(); }
QString CurveAxes::yTitle() const { return m_y->titleText(); }

void CurveAxes::setTitlesVisible(bool on) {
    m_x->setTitleVisible(on);
    m_y->setTitleVisible(on);
}

void CurveAxes::setColours(const QColor& line, const QColor& grid, const QColor& words) {
    for (QCategoryAxis* axis : {m_x, m_y}) {
        axis->setLinePenColor(line);
        axis->setGridLineColor(grid);
        axis->setLabelsColor(words);
        axis->setTitleBrush(words);
    }
}

void CurveAxes::setXTicks(const NamedTicks& ticks, double margin) {
    m_xTicks = ticks;
    m_xMargin = margin;
}

void CurveAxes::span(const CurveExtent& extent, bool logarithmic,
                     const std::optional<QRectF>& zoomed, int width, int height) {
    const auto& [left, right, least, greatest] = extent;
    const int xCount = std::max(3, width / 90);
    const int yCount = std::max(3, height / 60);
    const int mostLogarithmic = std::max(3, (height - kAroundThePlot) / kLabelHeight);
    const AxisTicks x = linearTicks(left, right, xCount, m_wholeX);
    const AxisTicks y = logarithmic
                            ? logarithmicTicks(least, greatest, mostLogarithmic)
                            : linearTicks(m_zeroBased && least > 0 ? 0 : least, greatest, yCount);
    const double low = m_xTicks.isEmpty() ? x.low : left <= right ? left - m_xMargin : 0;
    const double high = m_xTicks.isEmpty() ? x.high : left <= right ? right + m_xMargin : 1;
    m_full = QRectF(QPointF(low, y.low), QPointF(high, y.high));
    if (!zoomed) {
        setArea(m_full, m_xTicks.isEmpty() ? named(x.ticks) : m_xTicks, named(y.ticks));
        return;
    }
    const QRectF area = *zoomed;
    const NamedTicks xTicks =
        m_xTicks.isEmpty() ? named(linearTicks(area.left(), area.right(), xCount, m_wholeX).ticks)
                           : m_xTicks;
    const bool wide = logarithmic && area.height() > 0.15;  // else 1-2-5 steps leave no tick
    NamedTicks yTicks =
        named(wide ? logarithmicTicks(std::pow(10, area.top()), std::pow(10, area.bottom()),
                                      mostLogarithmic)
                         .ticks
                   : linearTicks(logarithmic ? std::pow(10, area.top()) : area.top(),
                                 logarithmic ? std::pow(10, area.bottom()) : area.bottom(), yCount)
                         .ticks);
    for (auto& [position, label] : yTicks) {
        position = logarithmic && !wide ? std::log10(position) : position;
    }
    setArea(area, xTicks, yTicks);
}

void CurveAxes::setArea(const QRectF& area, const NamedTicks& xTicks, const NamedTicks& yTicks) {
    m_area = area;
    setTicks(m_x, area.left(), area.right(), xTicks);
    setTicks(m_y, area.top(), area.bottom(), yTicks);
}

QPointF CurveAxes::valueAt(const QPointF& place, const QRectF& plot) const {
    return {m_x->min() + (place.x() - plot.left()) / plot.width() * (m_x->max() - m_x->min()),
            m_y->max() - (place.y() - plot.top()) / plot.height() * (m_y->max() - m_y->min())};
}

double CurveAxes::pixelsPerX(const QRectF& plot) const {
    return plot.width() / std::max(m_x->max() - m_x->min(), 1e-300);
}

}  // namespace cospadi::ui
