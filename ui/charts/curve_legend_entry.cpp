#include "ui/charts/curve_legend_entry.h"

#include <QFontMetricsF>
#include <QPainter>

#include "ui/base/font_units.h"
#include "ui/charts/curve_look.h"

namespace cospadi::ui {

namespace {

constexpr double kPiece = 5.4;  // characters that the line is wide
constexpr double kBeforeName = 6.5;
constexpr double kLegendMarkerDiameter = 0.65;  // of a line's height

double pieceOf(const QFont& font) { return charactersWide(font, kPiece); }

}  // namespace

QList<CurveLegendEntry> legendEntries(const QList<Curve>& curves, bool print) {
    QList<CurveLegendEntry> entries;
    for (qsizetype i = 0; i < curves.size(); ++i) {
        if (!isListed(curves[i], print)) {
            continue;
        }
        const QPen pen = curvePen(curves, i, print);
        CurveLegendEntry entry;
        entry.name = curves[i].name;
        entry.line = curves[i].style == Curve::Style::Points ? QPen(Qt::NoPen) : pen;
        if (curves[i].style != Curve::Style::Line) {
            entry.marker = pen.color();
            entry.shape = markerShape(curves, i, print);
        }
        entries.append(entry);
    }
    return entries;
}

double legendLineHeight(const QFont& font) { return QFontMetricsF(font).height() + 2; }

double legendLineOf(const QFont& font) { return charactersWide(font, kBeforeName); }

double legendWidthOf(const CurveLegendEntry& entry, const QFont& font) {
    return legendLineOf(font) + QFontMetricsF(font).horizontalAdvance(entry.name);
}

void drawLegendEntry(QPainter& painter, const CurveLegendEntry& entry, QPointF at,
                     const QFont& font, const QColor& text) {
    const double middle = at.y() + legendLineHeight(font) / 2;
    if (entry.line.style() != Qt::NoPen) {
        QPen pen = entry.line;
        pen.setCapStyle(Qt::FlatCap);  // else gaps of short dashes close
        painter.setPen(pen);
        painter.drawLine(QPointF(at.x(), middle), QPointF(at.x() + pieceOf(font), middle));
    }
    if (entry.marker.isValid()) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(entry.marker);
        drawMarker(painter, entry.shape, QPointF(at.x() + pieceOf(font) / 2, middle),
                   kLegendMarkerDiameter * QFontMetricsF(font).height());
    }
    painter.setFont(font);
    painter.setPen(text);
    painter.drawText(
        QPointF(at.x() + legendLineOf(font), at.y() + 1 + QFontMetricsF(font).ascent()),
        entry.name);
}

}  // namespace cospadi::ui
