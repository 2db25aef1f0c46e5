#include "ui/charts/curve_legend.h"

#include <QPainter>
#include <algorithm>

namespace cospadi::ui {

namespace {

constexpr double kOverEverything = 200;
constexpr int kMargin = 8;

}  // namespace

CurveLegend::CurveLegend(QGraphicsItem* chart, const QFont& font)
    : QGraphicsItem(chart), m_font(font) {
    setZValue(kOverEverything);
    setAcceptedMouseButtons(Qt::NoButton);
}

void CurveLegend::setEntries(const QList<CurveLegendEntry>& entries) {
    if (entries != m_entries) {
        m_entries = entries;
        arrange();
    }
}

void CurveLegend::setText(const QColor& colour) {
    m_text = colour;
    update();
}

void CurveLegend::setChartWidth(double width) {
    if (width != m_chartWidth) {
        m_chartWidth = width;
        arrange();
    }
}

void CurveLegend::arrange() {
    prepareGeometryChange();
    double sum = 0;
    double widest = 0;
    for (const CurveLegendEntry& entry : m_entries) {
        sum += legendWidthOf(entry, m_font) + kLegendBetween;
        widest = std::max(widest, legendWidthOf(entry, m_font));
    }
    const double line = legendLineHeight(m_font);
    m_above = sum - kLegendBetween + 2 * kMargin <= m_chartWidth;
    m_bounds = m_entries.isEmpty() ? QRectF()
               : m_above           ? QRectF(0, 0, sum - kLegendBetween, line)
                         : QRectF(0, 0, widest, line * static_cast<double>(m_entries.size()));
    update();
}

int CurveLegend::room() const {
    return m_entries.isEmpty()
               ? 0
               : static_cast<int>(m_above ? m_bounds.height() : m_bounds.width()) + kMargin;
}

QRectF CurveLegend::boundingRect() const { return m_bounds; }

void CurveLegend::paint(QPainter* painter, const QStyleOptionGraphicsItem* /*option*/,
                        QWidget* /*widget*/) {
    QPointF at(0, 0);
    for (const CurveLegendEntry& entry : m_entries) {
        drawLegendEntry(*painter, entry, at, m_font, m_text);
        if (m_above) {
            at.rx() += legendWidthOf(entry, m_font) + kLegendBetween;
        } else {
            at.ry() += legendLineHeight(m_font);
        }
    }
}

}  // namespace cospadi::ui
