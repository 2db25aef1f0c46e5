#include "ui/charts/curve_axes.h"

#include <QCategoryAxis>
#include <QChart>
#include <QFont>
#include <QFontMetricsF>
#include <algorithm>
#include <cmath>

#include "ui/charts/axis_ticks.h"

namespace cospadi::ui {

namespace {

constexpr int kMargins = 22;    // pixels above and below the plot
constexpr double kWide = 0.15;  // decades

// How many ticks have room for their words beside and above each other. A linear axis has more
// digits, and no more ticks than it takes to read it.
struct TickRoom {
    int across;
    int acrossLinear;
    int up;
    int upLinear;
};

TickRoom roomFor(const QFontMetricsF& metrics, int width, int height) {
    const double wide =
        metrics.horizontalAdvance(QStringLiteral("−100,000")) + metrics.averageCharWidth();
    const double high = 1.25 * metrics.height();
    const double inPlot = height - 3 * metrics.height() - kMargins;  // legend, labels, title
    const auto count = [](double all, double one) {
        return std::max(3, static_cast<int>(all / one));
    };
    return {count(width, wide), count(width, 1.5 * wide), count(inPlot, high),
            count(height, 3.75 * high)};
}

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
    const TickRoom room = roomFor(QFontMetricsF(m_x->labelsFont()), width, height);
    const AxisTicks x = logarithmic.x
                            ? logarithmicTicks(std::pow(10, left), std::pow(10, right), room.across)
                            : linearTicks(left, right, room.acrossLinear, m_wholeX);
    const AxisTicks y =
        logarithmic.y ? logarithmicTicks(least, greatest, room.up)
                      : linearTicks(m_zeroBased && least > 0 ? 0 : least, greatest, room.upLinear);
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
            : logarithmic.x
                ? zoomedLogarithmic(area.left(), area.right(), room.across, room.acrossLinear)
                : named(linearTicks(area.left(), area.right(), room.acrossLinear, m_wholeX).ticks),
            logarithmic.y ? zoomedLogarithmic(area.top(), area.bottom(), room.up, room.upLinear)
                          : named(linearTicks(area.top(), area.bottom(), room.upLinear).ticks));
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

double CurveAxes::placeOfX(double x, const QRectF& plot) const {
    return plot.left() + (x - m_area.left()) / std::max(m_area.width(), 1e-300) * plot.width();
}

}  // namespace cospadi::ui
