#include "ui/charts/marker_shape.h"

#include <QPainter>
#include <QPolygonF>
#include <cmath>
#include <numbers>

namespace cospadi::ui {

namespace {

// Of the area of a circle with this radius, the first corner `turn` turns from the top.
QPolygonF regularPolygon(const QPointF& centre, int corners, double radius, double turn) {
    using std::numbers::pi;
    const double reach = radius * std::sqrt(2 * pi / (corners * std::sin(2 * pi / corners)));
    QPolygonF polygon;
    for (int i = 0; i < corners; ++i) {
        const double angle = 2 * pi * (static_cast<double>(i) / corners + turn);
        polygon.append(centre + reach * QPointF(std::sin(angle), -std::cos(angle)));
    }
    return polygon;
}

}  // namespace

void drawMarker(QPainter& painter, MarkerShape shape, const QPointF& centre, double size) {
    switch (shape) {
        case MarkerShape::Circle:
            painter.drawEllipse(centre, size / 2, size / 2);
            break;
        case MarkerShape::Square:
            painter.drawPolygon(regularPolygon(centre, 4, size / 2, 0.125));
            break;
        case MarkerShape::Triangle:
            painter.drawPolygon(regularPolygon(centre, 3, size / 2, 0));
            break;
        case MarkerShape::Diamond:
            painter.drawPolygon(regularPolygon(centre, 4, size / 2, 0));
            break;
        case MarkerShape::Pentagon:
            painter.drawPolygon(regularPolygon(centre, 5, size / 2, 0));
            break;
    }
}

QString pgfMark(MarkerShape shape) {
    switch (shape) {
        case MarkerShape::Circle:
            break;
        case MarkerShape::Square:
            return QStringLiteral("square*");
        case MarkerShape::Triangle:
            return QStringLiteral("triangle*");
        case MarkerShape::Diamond:
            return QStringLiteral("diamond*");
        case MarkerShape::Pentagon:
            return QStringLiteral("pentagon*");
    }
    return QStringLiteral("*");
}

}  // namespace cospadi::ui
