#include "ui/charts/curve_legend.h"

#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>

namespace cospadi::ui {

namespace {

constexpr double kPiece = 30;    // pixels of the line
constexpr double kToWords = 6;   // from it to the name
constexpr double kBetween = 16;  // names in a line
constexpr double kMarkerDiameter = 9;
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

double CurveLegend::widthOf(const CurveLegendEntry& entry) const {
    return kPiece + kToWords + QFontMetricsF(m_font).horizontalAdvance(entry.name);
}

void CurveLegend::arrange() {
    prepareGeometryChange();
    double sum = 0;
    double widest = 0;
    for (const CurveLegendEntry& entry : m_entries) {
        sum += widthOf(entry) + kBetween;
        widest = std::max(widest, widthOf(entry));
    }
    const double line = QFontMetricsF(m_font).height() + 2;
    m_above = sum - kBetween + 2 * kMargin <= m_chartWidth;
    m_bounds = m_entries.isEmpty() ? QRectF()
               : m_above           ? QRectF(0, 0, sum - kBetween, line)
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
    const QFontMetricsF metrics(m_font);
    const double line = metrics.height() + 2;
    painter->setFont(m_font);
    QPointF at(0, 0);
    for (const CurveLegendEntry& entry : m_entries) {
        const double middle = at.y() + line / 2;
        if (entry.line.style() != Qt::NoPen) {
            QPen pen = entry.line;
            pen.setCapStyle(Qt::FlatCap);  // else gaps of short dashes close
            painter->setPen(pen);
            painter->drawLine(QPointF(at.x(), middle), QPointF(at.x() + kPiece, middle));
        }
        if (entry.marker.isValid()) {
            painter->setPen(Qt::NoPen);
            painter->setBrush(entry.marker);
            painter->drawEllipse(QPointF(at.x() + kPiece / 2, middle), kMarkerDiameter / 2,
                                 kMarkerDiameter / 2);
        }
        painter->setPen(m_text);
        painter->drawText(QPointF(at.x() + kPiece + kToWords, at.y() + 1 + metrics.ascent()),
                          entry.name);
        if (m_above) {
            at.rx() += widthOf(entry) + kBetween;
        } else {
            at.ry() += line;
        }
    }
}

}  // namespace cospadi::ui
