#include "ui/charts/curve_legend.h"

#include <QFontInfo>
#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>

namespace cospadi::ui {

namespace {

constexpr double kOverEverything = 200;
constexpr int kMargin = 8;
constexpr int kMostLinesAbove = 2;

}  // namespace

CurveLegend::CurveLegend(QGraphicsItem* chart, const QFont& font)
    : QGraphicsItem(chart), m_font(font) {
    // In points it would grow with the resolution of the paper that a chart is drawn on.
    m_font.setPixelSize(QFontInfo(font).pixelSize());
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

// Above the plot in one line, else in two; of more entries a line each beside it, where they leave
// at least half of the width to the plot.
void CurveLegend::arrange() {
    prepareGeometryChange();
    const double line = legendLineHeight(m_font);
    const double room = m_chartWidth - 2 * kMargin;
    m_places.clear();
    QPointF at(0, 0);
    double widest = 0;  // entry
    double right = 0;
    for (const CurveLegendEntry& entry : m_entries) {
        const double width = legendWidthOf(entry, m_font);
        if (at.x() > 0 && at.x() + width > room) {
            at = QPointF(0, at.y() + line);
        }
        m_places.append(at);
        right = std::max(right, at.x() + width);
        widest = std::max(widest, width);
        at.rx() += width + kLegendBetween;
    }
    m_above = at.y() < kMostLinesAbove * line && right <= room;
    m_bounds = m_entries.isEmpty() ? QRectF() : QRectF(0, 0, right, at.y() + line);
    if (!m_above) {
        for (qsizetype i = 0; i < m_places.size(); ++i) {
            m_places[i] = QPointF(0, line * static_cast<double>(i));
        }
        m_bounds =
            QRectF(0, 0, std::min(widest, room / 2), line * static_cast<double>(m_entries.size()));
    }
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
    const QFontMetricsF metrics(m_font);
    for (qsizetype i = 0; i < m_entries.size(); ++i) {
        CurveLegendEntry entry = m_entries[i];
        entry.name = metrics.elidedText(entry.name, Qt::ElideRight,
                                        m_bounds.width() - m_places[i].x() - kLegendLine + 1);
        drawLegendEntry(*painter, entry, m_places[i], m_font, m_text);
    }
}

}  // namespace cospadi::ui
