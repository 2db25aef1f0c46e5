// The lines and markers of a chart, drawn over its grid and inside its plot.
//
// Qt Charts outlines every series anew for the mouse each time a point or an axis moves, which took
// more than half of a redraw; a CurveChart has none. Coordinates are those of the axes; a look at
// another part moves the points to draw and the area shown. Lines end at the plot's edge, a marker
// on it is whole. GUI thread only; belongs to the chart's scene.
#pragma once

#include <QBrush>
#include <QColor>
#include <QGraphicsItem>
#include <QLineF>
#include <QList>
#include <QPen>
#include <QPointF>
#include <QRectF>

#include "ui/charts/marker_shape.h"

namespace cospadi::ui {

struct DrawnCurve {
    QList<QPointF> points;  // axis coordinates, decimated
    QList<QLineF> spreads;  // upright, of each point from least to greatest; a band, or whiskers
    QColor spreadFill;
    QPen line{Qt::NoPen};
    double markerSize = 0;  // pixels across; 0: no markers
    MarkerShape markerShape = MarkerShape::Circle;
    QPen markerLine{Qt::NoPen};
    QBrush markerFill;
};

class CurveLayer : public QGraphicsItem {
  public:
    explicit CurveLayer(QGraphicsItem* chart);

    // In the order in which they are drawn. What was changed is drawn with update().
    QList<DrawnCurve>& curves() { return m_curves; }
    const QList<DrawnCurve>& curves() const { return m_curves; }

    void setArea(const QRectF& area);  // axis coordinates, top() the least y
    void setPlot(const QRectF& plot);  // where that lies in the chart

    QRectF boundingRect() const override;
    void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override;

  private:
    QPointF placeOf(const QPointF& point) const;
    void drawSpreads(QPainter& painter, const DrawnCurve& curve) const;

    QList<DrawnCurve> m_curves;
    QRectF m_area{0, 0, 1, 1};
    QRectF m_plot;
};

}  // namespace cospadi::ui
