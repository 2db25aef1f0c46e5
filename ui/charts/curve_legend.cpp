#include "ui/charts/curve_legend.h"

#include <QFontInfo>
#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>

#include "ui/base/translated.h"

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

void CurveLegend::setChartSize(const QSizeF& size) {
    if (size != m_chart) {
        m_chart = size;
        arrange();
    }
}

void CurveLegend::arrange() {
    prepareGeometryChange();
    m_more.clear();
    standAbove();
    const double line = legendLineHeight(m_font);
    const double room = m_chart.width() - 2 * kMargin;
    const auto rows =
        std::max<qsizetype>(1, static_cast<qsizetype>((m_chart.height() - 2 * kMargin) / line));
    const double lines = m_bounds.height() / line;
    m_above = lines <= kMostLinesAbove && m_bounds.width() <= room;
    if (!m_above) {
        const qsizetype columns = (m_entries.size() + rows - 1) / rows;
        double widest = 0;
        for (const CurveLegendEntry& entry : m_entries) {
            widest = std::max(widest, legendWidthOf(entry, m_font));
        }
        const double together = static_cast<double>(columns) * (widest + kLegendBetween);
        if (columns == 1 || together <= room / 2) {
            standBeside(rows, columns, std::min(widest, room / 2));
        } else if (2 * lines <= static_cast<double>(rows)) {
            m_above = true;
        } else {
            standBeside(rows, 1, std::min(widest, room / 2));
        }
    }
    update();
}

void CurveLegend::standAbove() {
    const double line = legendLineHeight(m_font);
    const double room = m_chart.width() - 2 * kMargin;
    m_places.clear();
    QPointF at(0, 0);
    double right = 0;
    for (const CurveLegendEntry& entry : m_entries) {
        const double width = legendWidthOf(entry, m_font);
        if (at.x() > 0 && at.x() + width > room) {
            at = QPointF(0, at.y() + line);
        }
        m_places.append(at);
        right = std::max(right, at.x() + width);
        at.rx() += width + kLegendBetween;
    }
    m_widest = room;
    m_bounds = m_entries.isEmpty() ? QRectF() : QRectF(0, 0, right, at.y() + line);
}

void CurveLegend::standBeside(qsizetype rows, qsizetype columns, double width) {
    const double line = legendLineHeight(m_font);
    const qsizetype shown = std::min(m_entries.size(), rows * columns);
    m_places.clear();
    for (qsizetype i = 0; i < shown; ++i) {
        m_places.append(QPointF(static_cast<double>(i / rows) * (width + kLegendBetween),
                                line * static_cast<double>(i % rows)));
    }
    if (shown < m_entries.size()) {
        m_more = Words::tr("and %1 more").arg(m_entries.size() - shown + 1);
    }
    m_widest = width;
    m_bounds =
        QRectF(0, 0, static_cast<double>(columns) * (width + kLegendBetween) - kLegendBetween,
               line * static_cast<double>(std::min(rows, shown)));
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
    for (qsizetype i = 0; i < m_places.size(); ++i) {
        CurveLegendEntry entry =
            i < named() ? m_entries[i] : CurveLegendEntry{m_more, QPen(Qt::NoPen), QColor()};
        entry.name =
            metrics.elidedText(entry.name, Qt::ElideRight, m_widest - legendLineOf(m_font) + 1);
        drawLegendEntry(*painter, entry, m_places[i], m_font, m_text);
    }
}

}  // namespace cospadi::ui
