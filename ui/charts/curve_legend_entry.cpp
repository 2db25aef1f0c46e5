#include "ui/charts/curve_legend_entry.h"

#include <QFontMetricsF>
#include <QPainter>

#include "ui/charts/curve_look.h"

namespace cospadi::ui {

namespace {

constexpr double kPiece = 30;  // pixels of the line
constexpr double kLegendMarkerDiameter = 9;

}  // namespace

QList<CurveLegendEntry> legendEntries(const QList<Curve>& curves, bool print) {
    QList<CurveLegendEntry> entries;
    for (qsizetype i = 0; i < curves.size(); ++i) {
        if (!isListed(curves[i], print)) {
            continue;
        }
        const QPen pen = curvePen(curves, i, print);
        CurveLegendEntry entry{curves[i].name, pen, {}};
        if (curves[i].style == Curve::Style::Points) {
            entry.line = QPen(Qt::NoPen);
            entry.marker = pen.color();
        }
        entries.append(entry);
    }
    return entries;
}

double legendLineHeight(const QFont& font) { return QFontMetricsF(font).height() + 2; }

double legendWidthOf(const CurveLegendEntry& entry, const QFont& font) {
    return kLegendLine + QFontMetricsF(font).horizontalAdvance(entry.name);
}

void drawLegendEntry(QPainter& painter, const CurveLegendEntry& entry, QPointF at,
                     const QFont& font, const QColor& text) {
    const double middle = at.y() + legendLineHeight(font) / 2;
    if (entry.line.style() != Qt::NoPen) {
        QPen pen = entry.line;
        pen.setCapStyle(Qt::FlatCap);  // else gaps of short dashes close
        painter.setPen(pen);
        painter.drawLine(QPointF(at.x(), middle), QPointF(at.x() + kPiece, middle));
    }
    if (entry.marker.isValid()) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(entry.marker);
        painter.drawEllipse(QPointF(at.x() + kPiece / 2, middle), kLegendMarkerDiameter / 2,
                            kLegendMarkerDiameter / 2);
    }
    painter.setFont(font);
    painter.setPen(text);
    painter.drawText(QPointF(at.x() + kLegendLine, at.y() + 1 + QFontMetricsF(font).ascent()),
                     entry.name);
}

}  // namespace cospadi::ui
