#include "ui/charts/curve_readout.h"

#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "ui/base/format.h"
#include "ui/base/theme.h"
#include "ui/base/translated.h"

namespace cospadi::ui {

namespace {

constexpr int kMostValues = 8;      // lines of the box
constexpr double kPointReach = 14;  // pixels from a lone point within which it is meant

}  // namespace

QStringList valuesAt(const QList<Curve>& curves, double x, double pixelsPerUnit) {
    QStringList lines;
    for (const Curve& curve : curves) {
        if (!curve.highlighted || curve.points.isEmpty()) {
            continue;
        }
        const auto isLeft = [](const QPointF& point, double at) { return point.x() < at; };
        auto nearest = std::lower_bound(curve.points.begin(), curve.points.end(), x, isLeft);
        if (nearest == curve.points.end() ||
            (nearest != curve.points.begin() &&
             x - (nearest - 1)->x() <= std::abs(nearest->x() - x))) {
            --nearest;
        }
        if (curve.style == Curve::Style::Points && pixelsPerUnit > 0 &&
            std::abs(nearest->x() - x) * pixelsPerUnit > kPointReach) {
            continue;
        }
        const auto which = nearest - curve.points.begin();
        QString text = curve.name;
        if (which < curve.pointNames.size() && curve.pointNames[which] != curve.name) {
            text += (text.isEmpty() ? QString() : QStringLiteral(" · ")) + curve.pointNames[which];
        }
        QString value = formatNumber(nearest->y());
        if (curve.deviations.value(which) > 0) {
            value += QStringLiteral(" ± ") + formatNumber(curve.deviations[which], 2);
        }
        lines << QStringLiteral("%1%2 (%3)")
                     .arg(text.isEmpty() ? QString() : text + QStringLiteral(": "), value,
                          formatNumber(nearest->x(), 6));
    }
    return lines;
}

std::optional<double> nextPoint(const QList<Curve>& curves, const std::optional<double>& from,
                                bool forward, const LogarithmicAxes& logarithmic,
                                const QRectF& area) {
    std::optional<double> next;
    for (const Curve& curve : curves) {
        for (const QPointF& point : curve.points) {
            const double x = point.x();
            const double place = logarithmic.x ? std::log10(x) : x;
            const bool fits = curve.highlighted && std::isfinite(point.y()) &&
                              (!logarithmic.x || x > 0) && (!logarithmic.y || point.y() > 0) &&
                              place >= area.left() && place <= area.right() &&
                              (!from || (forward ? x > *from : x < *from));
            if (fits && (!next || (forward ? x < *next : x > *next))) {
                next = x;
            }
        }
    }
    return next;
}

void drawReadout(QPainter& painter, const QRectF& plot, const QPointF& pointer,
                 const QStringList& lines, const QFont& font) {
    QStringList shown = lines;
    if (shown.size() > kMostValues) {
        const auto more = shown.size() - kMostValues;
        shown = shown.mid(0, kMostValues) << Words::tr("and %1 more").arg(more);
    }
    painter.save();
    painter.setPen(QPen(theme().muted, 1, Qt::DotLine));
    painter.drawLine(QPointF(pointer.x(), plot.top()), QPointF(pointer.x(), plot.bottom()));
    painter.drawLine(QPointF(plot.left(), pointer.y()), QPointF(plot.right(), pointer.y()));
    const QFontMetricsF metrics(font);
    double width = 0;
    for (const QString& line : shown) {
        width = std::max(width, metrics.horizontalAdvance(line));
    }
    QRectF box(pointer.x() + 12, pointer.y() + 12, width + 14,
               static_cast<double>(shown.size()) * metrics.height() + 8);
    if (box.right() > plot.right()) {
        box.moveRight(pointer.x() - 12);
    }
    if (box.bottom() > plot.bottom()) {
        box.moveBottom(pointer.y() - 12);
    }
    box.moveLeft(std::max(box.left(), 2.0));
    box.moveTop(std::max(box.top(), 2.0));
    QColor back = theme().panel;
    back.setAlpha(235);
    painter.setPen(theme().line);
    painter.setBrush(back);
    painter.drawRoundedRect(box, 4, 4);
    painter.setPen(theme().text);
    painter.setFont(font);
    painter.drawText(box.adjusted(7, 4, -7, -4), Qt::AlignLeft | Qt::AlignTop,
                     shown.join(QLatin1Char('\n')));
    painter.restore();
}

}  // namespace cospadi::ui
