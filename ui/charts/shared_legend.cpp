#include "ui/charts/shared_legend.h"

#include <QFontMetricsF>
#include <QPainter>
#include <cmath>

#include "ui/charts/curve_legend_entry.h"
#include "ui/charts/curve_look.h"

namespace cospadi::ui {

namespace {

struct LegendPlace {
    CurveLegendEntry entry;
    QPointF at;  // its left upper corner
};

QList<LegendPlace> legendPlaces(const QList<Curve>& curves, int width, const QFont& font,
                                bool print) {
    const QFontMetricsF metrics(font);
    QList<LegendPlace> places;
    QPointF at(0, 0);
    for (CurveLegendEntry& entry : legendEntries(curves, print)) {
        entry.name = metrics.elidedText(entry.name, Qt::ElideMiddle, width - legendLineOf(font));
        const double taken = legendWidthOf(entry, font);
        if (at.x() > 0 && at.x() + taken > width) {
            at = QPointF(0, at.y() + legendLineHeight(font));
        }
        places.append({entry, at});
        at.rx() += taken + kLegendBetween;
    }
    return places;
}

}  // namespace

int sharedLegendHeight(const QList<Curve>& curves, int width, const QFont& font, bool print) {
    const QList<LegendPlace> places = legendPlaces(curves, width, font, print);
    return places.isEmpty()
               ? 0
               : static_cast<int>(std::ceil(places.last().at.y() + legendLineHeight(font)));
}

void drawSharedLegend(QPainter& painter, const QList<Curve>& curves, int width, const QFont& font,
                      bool print) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    for (const LegendPlace& place : legendPlaces(curves, width, font, print)) {
        drawLegendEntry(painter, place.entry, place.at, font, ChartColours::of(print).text);
    }
    painter.restore();
}

SharedLegend::SharedLegend(QWidget* parent) : QWidget(parent) {
    setAccessibleName(tr("Legend of the curves"));
}

void SharedLegend::setCurves(const QList<Curve>& curves) {
    m_curves = curves;
    QStringList names;
    for (const CurveLegendEntry& entry : legendEntries(curves, false)) {
        names << entry.name;
    }
    setAccessibleDescription(names.join(QStringLiteral(", ")));
    fitHeight();
    update();
}

void SharedLegend::fitHeight() {
    setFixedHeight(sharedLegendHeight(m_curves, width(), font(), false));
}

void SharedLegend::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    fitHeight();
}

void SharedLegend::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    drawSharedLegend(painter, m_curves, width(), font(), false);
}

}  // namespace cospadi::ui
