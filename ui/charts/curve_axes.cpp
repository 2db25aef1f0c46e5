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
constexpr int kLabelWidth = 60;     // of x
constexpr double kWide = 0.15;      // decades

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

// low, high: logarithms. 1-2-5 steps would leave no tick in a narrow part: there round numbers.
NamedTicks zoomedLogarithmic(double low, double high, int most, int count) {
    if (high - low > kWide) {
        return named(logarithmicTicks(std::pow(10, low), std::pow(10, high), most).ticks);
    }
    NamedTicks ticks = named(linearTicks(std::pow(10, low), std::pow(10, high), count).ticks);
    for (auto& [position, label] : ticks) {
        position = std::log10(position);
    }
    return ticks;
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

void CurveAxes::span(const CurveExtent& extent, const LogarithmicAxes& logarithmic,
                     const std::optional<QRectF>& zoomed, int width, int height) {
    const auto& [left, right, least, greatest] = extent;
    const int xCount = std::max(3, width / 90);
    const int yCount = std::max(3, height / 60);
    const int mostAcross = std::max(3, width / kLabelWidth);
    const int mostUp = std::max(3, (height - kAroundThePlot) / kLabelHeight);
    const AxisTicks x = logarithmic.x
                            ? logarithmicTicks(std::pow(10, left), std::pow(10, right), mostAcross)
                            : linearTicks(left, right, xCount, m_wholeX);
    const AxisTicks y = logarithmic.y
                            ? logarithmicTicks(least, greatest, mostUp)
                            : linearTicks(m_zeroBased && least > 0 ? 0 : least, greatest, yCount);
    const double low = m_xTicks.isEmpty() ? x.low : left <= right ? left - m_xMargin : 0;
    const double high = m_xTicks.isEmpty() ? x.high : left <= right ? right + m_xMargin : 1;
    m_full = QRectF(QPointF(low, y.low), QPointF(high, y.high));
    if (!zoomed) {
        setArea(m_full, m_xTicks.isEmpty() ? named(x.ticks) : m_xTicks, named(y.ticks));
        return;
    }
    const QRectF area = *zoomed;
    setArea(area,
            !m_xTicks.isEmpty() ? m_xTicks
            : logarithmic.x     ? zoomedLogarithmic(area.left(), area.right(), mostAcross, xCount)
                            : named(linearTicks(area.left(), area.right(), xCount, m_wholeX).ticks),
            logarithmic.y ? zoomedLogarithmic(area.top(), area.bottom(), mostUp, yCount)
                          : named(linearTicks(area.top(), area.bottom(), yCount).ticks));
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
