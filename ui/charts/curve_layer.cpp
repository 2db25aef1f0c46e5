#include "ui/charts/curve_layer.h"

#include <QPaintEngine>
#include <QPainter>

namespace cospadi::ui {

namespace {

constexpr double kOverGrid = 100;
constexpr double kOverhang = 10;          // of a marker on the edge
constexpr double kWhisker = 1.5;          // pixels across
constexpr qsizetype kJoinedPoints = 256;  // from here on joins cost time and cannot be seen

// On a screen a long line goes faster stroke by stroke; in a file it is one path.
bool isDrawnByStrokes(const QPainter& painter, const DrawnCurve& curve) {
    return curve.line.style() == Qt::SolidLine && curve.points.size() > kJoinedPoints &&
           painter.paintEngine() != nullptr &&
           painter.paintEngine()->type() == QPaintEngine::Raster;
}

}  // namespace

CurveLayer::CurveLayer(QGraphicsItem* chart) : QGraphicsItem(chart) {
    setZValue(kOverGrid);
    setAcceptedMouseButtons(Qt::NoButton);
}

void CurveLayer::setArea(const QRectF& area) {
    m_area = area;
    update();
}

void CurveLayer::setPlot(const QRectF& plot) {
    prepareGeometryChange();
    m_plot = plot;
}

QRectF CurveLayer::boundingRect() const {
    return m_plot.adjusted(-kOverhang, -kOverhang, kOverhang, kOverhang);
}

QPointF CurveLayer::placeOf(const QPointF& point) const {
    return {m_plot.left() + (point.x() - m_area.left()) * m_plot.width() / m_area.width(),
            m_plot.bottom() - (point.y() - m_area.top()) * m_plot.height() / m_area.height()};
}

void CurveLayer::drawSpreads(QPainter& painter, const DrawnCurve& curve) const {
    if (curve.spreads.isEmpty()) {
        return;
    }
    painter.save();
    painter.setClipRect(m_plot);
    if (curve.line.style() != Qt::NoPen && curve.spreads.size() > 1) {
        QPolygonF band;
        for (const QLineF& spread : curve.spreads) {
            band.append(placeOf(spread.p1()));
        }
        for (qsizetype i = curve.spreads.size() - 1; i >= 0; --i) {
            band.append(placeOf(curve.spreads[i].p2()));
        }
        painter.setPen(Qt::NoPen);
        painter.setBrush(curve.spreadFill);
        painter.drawPolygon(band);
    } else {
        painter.setPen(QPen(curve.markerFill.color(), kWhisker));
        for (const QLineF& spread : curve.spreads) {
            painter.drawLine(placeOf(spread.p1()), placeOf(spread.p2()));
        }
    }
    painter.restore();
}

void CurveLayer::paint(QPainter* painter, const QStyleOptionGraphicsItem* /*option*/,
                       QWidget* /*widget*/) {
    if (m_area.width() <= 0 || m_area.height() <= 0) {
        return;
    }
    for (const DrawnCurve& curve : m_curves) {  // below all lines
        drawSpreads(*painter, curve);
    }
    QList<QPointF> places;
    QList<QLineF> strokes;
    for (const DrawnCurve& curve : m_curves) {
        places.clear();
        for (const QPointF& point : curve.points) {
            places.append(placeOf(point));
        }
        if (curve.line.style() != Qt::NoPen) {
            painter->save();
            painter->setClipRect(m_plot);
            painter->setPen(curve.line);
            painter->setBrush(Qt::NoBrush);
            if (isDrawnByStrokes(*painter, curve)) {
                strokes.clear();
                for (qsizetype i = 1; i < places.size(); ++i) {
                    strokes.append(QLineF(places[i - 1], places[i]));
                }
                painter->drawLines(strokes);
            } else {
                painter->drawPolyline(places.constData(), static_cast<int>(places.size()));
            }
            painter->restore();
        }
        if (curve.markerSize > 0) {
            painter->setPen(curve.markerLine);
            painter->setBrush(curve.markerFill);
            const QRectF inside = m_plot.adjusted(-0.5, -0.5, 0.5, 0.5);
            for (const QPointF& place : places) {
                if (inside.contains(place)) {  // whole, also on the edge
                    drawMarker(*painter, curve.markerShape, place, curve.markerSize);
                }
            }
        }
    }
}

}  // namespace cospadi::ui
