#include "ui/charts/parallel_coordinates_draw.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QPolygonF>
#include <algorithm>
#include <cmath>

#include "ui/base/format.h"
#include "ui/base/theme.h"
#include "ui/charts/axis_ticks.h"
#include "ui/charts/colour_scale.h"
#include "ui/charts/curve_look.h"

namespace cospadi::ui {

namespace {

constexpr qsizetype kCountedLines = 300;  // more are counted: they blend anyway
constexpr qsizetype kSmoothLines = 3000;  // in files; more are drawn without antialiasing
const QList<Qt::PenStyle> kPrintPens{Qt::SolidLine, Qt::DashLine, Qt::DotLine, Qt::DashDotLine};

QColor faint(QColor colour, double alpha) {
    colour.setAlphaF(static_cast<float>(alpha));
    return colour;
}

}  // namespace

ParallelCoordinates::Drawing ParallelCoordinates::Drawing::of(const QSizeF& size, const QFont& font,
                                                              int axes, bool print) {
    const QFontMetricsF metrics(font);
    const double side = std::min(15 * metrics.averageCharWidth(), size.width() / 10);
    Drawing drawing;
    drawing.axes = axes;
    drawing.print = print;
    drawing.plot = QRectF(QPointF(side, 2 * metrics.height() + 4),
                          QPointF(size.width() - side, size.height() - metrics.height() / 2 - 4));
    drawing.ink = print ? QColor("#222222") : theme().text;
    drawing.muted = print ? QColor("#444444") : theme().muted;
    drawing.faded = print ? QColor("#e4e4e4") : faint(theme().background, 0.35);
    drawing.line = print ? QColor("#0072b2") : theme().accent;
    drawing.background = print ? QColor("#a8a8a8") : faint(theme().muted, 0.45);
    drawing.brush = print ? QColor("#d5d5d5") : theme().accentSoft;
    return drawing;
}

QColor ParallelCoordinates::Drawing::inside(qsizetype lines, bool chosen) const {
    return chosen ? background
                  : faint(line, std::clamp(60.0 / static_cast<double>(lines + 1), 0.12, 0.85));
}

// stroke(from, to, dotted): where a run has no value its line goes on dotted to the next axis on
// which it has one.
template <typename Stroke>
void ParallelCoordinates::eachStroke(const Drawing& drawing, const ParallelLine& line,
                                     const Stroke& stroke) const {
    QPointF last;
    int before = -1;  // the last axis with a value
    for (int axis = 0; axis < drawing.axes; ++axis) {
        const double value = coordinate(axis, line.values.value(axis));
        if (!std::isfinite(value)) {
            continue;
        }
        const Range& range = m_ranges[axis];
        const QPointF point(drawing.x(axis),
                            drawing.y((value - range.low) / (range.high - range.low)));
        if (before >= 0) {
            stroke(last, point, before + 1 < axis);
        }
        last = point;
        before = axis;
    }
}

void ParallelCoordinates::drawLine(QPainter& painter, const Drawing& drawing,
                                   const ParallelLine& line) const {
    QPolygonF whole;
    QList<QLineF> gaps;
    eachStroke(drawing, line, [&](const QPointF& from, const QPointF& to, bool dotted) {
        if (whole.isEmpty()) {
            whole.append(from);
        }
        if (dotted) {
            gaps.append(QLineF(from, to));
            painter.drawPolyline(whole);
            whole.clear();
        }
        whole.append(to);
    });
    painter.drawPolyline(whole);
    if (!gaps.isEmpty()) {
        const QPen pen = painter.pen();
        QPen dotted = pen;
        dotted.setStyle(Qt::DotLine);
        painter.setPen(dotted);
        painter.drawLines(gaps);
        painter.setPen(pen);
    }
}

bool ParallelCoordinates::standsOut() const {
    return !m_highlighted.isEmpty() && m_highlighted.size() <= kMostInColour;
}

// What fades below, what stands out above.
void ParallelCoordinates::drawPicture(const Drawing& drawing) {
    const double ratio = devicePixelRatioF();
    QImage image(size() * ratio, QImage::Format_RGB32);
    image.fill(theme().panel);
    if (m_lines.size() > kCountedLines && colourAxis() < 0) {
        count(drawing);
        m_outside.paintOver(image, drawing.faded);
        m_inside.paintOver(image, drawing.inside(m_lines.size(), standsOut()));
        image.setDevicePixelRatio(ratio);
        QPainter painter(&image);
        painter.setRenderHint(QPainter::Antialiasing);
        drawHighlighted(painter, drawing, m_counted);
    } else {
        image.setDevicePixelRatio(ratio);
        QPainter painter(&image);
        drawLines(painter, drawing);
    }
    m_picture = QPixmap::fromImage(image);
}

// Only lines that a brush has let in or out since the last time change their place.
void ParallelCoordinates::count(const Drawing& drawing) {
    const std::vector<bool> inside = passingLines();
    const bool anew = m_counted.size() != inside.size();
    const double ratio = devicePixelRatioF();
    if (anew) {
        m_inside.reset(size() * ratio);
        m_outside.reset(size() * ratio);
    }
    for (std::size_t i = 0; i < inside.size(); ++i) {
        if (!anew && m_counted[i] == inside[i]) {
            continue;
        }
        LineDensity& to = inside[i] ? m_inside : m_outside;
        LineDensity& from = inside[i] ? m_outside : m_inside;
        eachStroke(drawing, m_lines[static_cast<int>(i)],
                   [&](const QPointF& a, const QPointF& b, bool dotted) {
                       const QLineF line(a * ratio, b * ratio);
                       to.add(line, 1, dotted);
                       if (!anew) {
                           from.add(line, -1, dotted);
                       }
                   });
    }
    m_counted = inside;
}

void ParallelCoordinates::drawLines(QPainter& painter, const Drawing& drawing) const {
    painter.setRenderHint(QPainter::Antialiasing, m_lines.size() <= kSmoothLines);
    const std::vector<bool> inside = passingLines();
    const int coloured = colourAxis();
    for (const bool above : {false, true}) {
        painter.setPen(
            above ? QPen(drawing.inside(m_lines.size(), standsOut()), standsOut() ? 1 : 1.4)
                  : QPen(drawing.faded, 1));
        for (int i = 0; i < m_lines.size(); ++i) {
            if (inside[static_cast<std::size_t>(i)] == above &&
                !(above && standsOut() && m_highlighted.contains(m_lines[i].key))) {
                if (above && coloured >= 0) {
                    painter.setPen(QPen(colourOf(m_lines[i], coloured, drawing.print), 1.4));
                }
                drawLine(painter, drawing, m_lines[i]);
            }
        }
    }
    drawHighlighted(painter, drawing, inside);
}

void ParallelCoordinates::drawHighlighted(QPainter& painter, const Drawing& drawing,
                                          const std::vector<bool>& inside) const {
    if (!standsOut()) {
        return;
    }
    int index = 0;
    for (int i = 0; i < m_lines.size(); ++i) {
        const auto look = m_highlighted.constFind(m_lines[i].key);
        if (inside[static_cast<std::size_t>(i)] && look != m_highlighted.constEnd()) {
            const bool isScaled = colourAxis() >= 0;
            QPen pen(isScaled        ? colourOf(m_lines[i], colourAxis(), drawing.print)
                     : drawing.print ? printSeries()[index % printSeries().size()]
                                     : look->colour,
                     isScaled ? 3.2 : 2.2);
            pen.setStyle(drawing.print ? kPrintPens[index % kPrintPens.size()]
                         : isScaled    ? Qt::SolidLine
                                       : look->pen);
            painter.setPen(pen);
            drawLine(painter, drawing, m_lines[i]);
            ++index;
        }
    }
}

// Where the line crosses the axis that the keyboard is at, on a ground of its own.
void ParallelCoordinates::drawName(QPainter& painter, const Drawing& drawing,
                                   const ParallelLine& line) const {
    const Range& range = m_ranges[m_current];
    const double at = coordinateOf(line, m_current);
    if (!std::isfinite(at)) {
        return;
    }
    const QFontMetricsF metrics(painter.font());
    const QString name = metrics.elidedText(line.name, Qt::ElideMiddle, drawing.plot.width() / 2);
    QRectF place(0, 0, metrics.horizontalAdvance(name) + 12, metrics.height() + 6);
    place.moveBottomLeft(
        {drawing.x(m_current) + 10, drawing.y((at - range.low) / (range.high - range.low)) - 8});
    place.moveRight(std::min(place.right(), drawing.plot.right() + drawing.plot.left() - 4));
    place.moveTop(std::max(place.top(), drawing.plot.top()));
    painter.setPen(drawing.muted);
    painter.setBrush(drawing.print ? QColor(Qt::white) : theme().panel);
    painter.drawRect(place);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(drawing.ink);
    painter.drawText(place, Qt::AlignCenter, name);
}

void ParallelCoordinates::drawAxes(QPainter& painter, const Drawing& drawing) const {
    painter.setRenderHint(QPainter::Antialiasing, false);
    const QFontMetricsF metrics(painter.font());
    const double gap = drawing.gap();
    for (int axis = 0; axis < drawing.axes; ++axis) {
        const double x = drawing.x(axis);
        const Range& range = m_ranges[axis];
        const auto share = [&](double at) { return (at - range.low) / (range.high - range.low); };
        const auto brush = m_brushes.constFind(m_axes[axis].word());
        if (brush != m_brushes.constEnd()) {
            const QRectF box(QPointF(x - 6, drawing.y(share(brush->high))),
                             QPointF(x + 6, drawing.y(share(brush->low))));
            painter.fillRect(box, drawing.brush);
            painter.setPen(drawing.line);
            painter.drawRect(box);
        }
        if (axis == colourAxis()) {  // the scale
            constexpr int kShades = 40;
            for (int step = 0; step < kShades; ++step) {
                const double low = drawing.y(static_cast<double>(step) / kShades);
                const double high = drawing.y((step + 1.0) / kShades);
                painter.fillRect(
                    QRectF(QPointF(x - 5, high), QPointF(x - 1, low)),
                    scaleLineColour((step + 0.5) / kShades, theme().dark && !drawing.print));
            }
        }
        painter.setPen(QPen(axis == drawing.focused ? drawing.line : drawing.muted,
                            axis == drawing.focused ? 2 : 1));
        painter.drawLine(QPointF(x, drawing.plot.top()), QPointF(x, drawing.plot.bottom()));
        QFont bold = painter.font();
        const QFont plain = bold;
        bold.setBold(true);
        painter.setFont(bold);
        painter.setPen(drawing.ink);
        const QString title =
            QFontMetricsF(bold).elidedText(m_axes[axis].name, Qt::ElideRight, gap - 8);
        painter.drawText(QRectF(x - gap / 2, 0, gap, metrics.height() + 4), Qt::AlignCenter, title);
        painter.setFont(plain);
    }
    // When all else stands: an axis' words reach as far as the next one.
    for (int axis = 0; axis < drawing.axes; ++axis) {
        drawTicks(painter, drawing, axis);
    }
}

QList<Tick> ParallelCoordinates::ticksOf(const Drawing& drawing, int axis) const {
    const Range& range = m_ranges[axis];
    const bool logarithmic = m_axes[axis].logarithmic;
    if (range.single) {
        const double middle = (range.low + range.high) / 2;
        return {{middle, formatNumber(logarithmic ? std::pow(10, middle) : middle)}};
    }
    const QStringList& categories = m_axes[axis].categories;
    QList<Tick> ticks;
    for (int place = 0; place < categories.size(); ++place) {
        ticks.append({static_cast<double>(place), categories[place]});
    }
    if (!ticks.isEmpty()) {
        return ticks;
    }
    return logarithmic ? logarithmicTicks(std::pow(10, range.low), std::pow(10, range.high)).ticks
                       : linearTicks(range.low, range.high,
                                     std::max(3, static_cast<int>(drawing.plot.height() / 50)))
                             .ticks;
}

void ParallelCoordinates::drawTicks(QPainter& painter, const Drawing& drawing, int axis) const {
    const QFontMetricsF metrics(painter.font());
    const double x = drawing.x(axis);
    const Range& range = m_ranges[axis];
    const bool last = axis + 1 == drawing.axes && axis > 0;
    const double room = (last ? drawing.plot.left() : drawing.gap()) - 14;
    double lastY = 1e9;
    painter.setPen(drawing.muted);
    for (const Tick& tick : ticksOf(drawing, axis)) {
        const double share = (tick.position - range.low) / (range.high - range.low);
        const double y = drawing.y(share);
        if (share < -1e-9 || share > 1 + 1e-9 || lastY - y < metrics.height() * 0.9) {
            continue;
        }
        lastY = y;
        painter.drawLine(QPointF(x - 3, y), QPointF(x + 3, y));
        const QString text = metrics.elidedText(tick.label, Qt::ElideMiddle, room);
        // Behind the axis, on a ground of its own where lines run.
        const QRectF place(x + 7, y - metrics.height() / 2, metrics.horizontalAdvance(text) + 2,
                           metrics.height());
        painter.fillRect(place, drawing.print ? QColor(Qt::white) : theme().panel);
        painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter, text);
    }
}

}  // namespace cospadi::ui
