#include "ui/charts/curve_legend.h"

#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>

#include "ui/charts/curve_look.h"

namespace cospadi::ui {

namespace {

constexpr double kSample = 26;  // pixels of a curve beside its name
constexpr double kGap = 16;     // between two of them
constexpr double kAir = 3;

struct LegendPlace {
    qsizetype curve;
    QPointF at;  // its left upper corner
    QString name;
};

double lineHeight(const QFont& font) { return QFontMetricsF(font).height() + kAir; }

QList<LegendPlace> legendPlaces(const QList<Curve>& curves, int width, const QFont& font,
                                bool print) {
    const QFontMetricsF metrics(font);
    QList<LegendPlace> places;
    QPointF at(0, 0);
    for (qsizetype i = 0; i < curves.size(); ++i) {
        if (!isListed(curves[i], print)) {
            continue;
        }
        const QString name = metrics.elidedText(curves[i].name, Qt::ElideMiddle, width - kSample);
        const double taken = kSample + metrics.horizontalAdvance(name) + kGap;
        if (at.x() > 0 && at.x() + taken - kGap > width) {
            at = QPointF(0, at.y() + lineHeight(font));
        }
        places.append({i, at, name});
        at.rx() += taken;
    }
    return places;
}

}  // namespace

int legendHeight(const QList<Curve>& curves, int width, const QFont& font, bool print) {
    const QList<LegendPlace> places = legendPlaces(curves, width, font, print);
    return places.isEmpty() ? 0 : static_cast<int>(places.last().at.y() + lineHeight(font));
}

void drawLegend(QPainter& painter, const QList<Curve>& curves, int width, const QFont& font,
                bool print) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(font);
    const double middle = lineHeight(font) / 2;
    for (const LegendPlace& place : legendPlaces(curves, width, font, print)) {
        DrawnCurve look;
        setLook(look, curves[place.curve], curvePen(curves, place.curve, print), false, print);
        const QPointF left = place.at + QPointF(0, middle);
        painter.setPen(look.line);
        painter.drawLine(left, left + QPointF(kSample - 6, 0));
        painter.setPen(look.markerLine);
        painter.setBrush(look.markerFill);
        painter.drawEllipse(left + QPointF((kSample - 6) / 2, 0), look.markerSize / 2,
                            look.markerSize / 2);
        painter.setPen(ChartColours::of(print).text);
        painter.drawText(QRectF(place.at + QPointF(kSample, 0), QSizeF(width, 2 * middle)),
                         Qt::AlignLeft | Qt::AlignVCenter, place.name);
    }
    painter.restore();
}

CurveLegend::CurveLegend(QWidget* parent) : QWidget(parent) {
    setAccessibleName(tr("Which curve is which"));
}

void CurveLegend::setCurves(const QList<Curve>& curves) {
    m_curves = curves;
    fitHeight();
    update();
}

void CurveLegend::fitHeight() { setFixedHeight(legendHeight(m_curves, width(), font(), false)); }

void CurveLegend::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    fitHeight();
}

void CurveLegend::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    drawLegend(painter, m_curves, width(), font(), false);
}

}  // namespace cospadi::ui
