#include "ui/charts/parallel_painter.h"

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

constexpr qsizetype kSmoothLines = 3000;  // in files; more are drawn without antialiasing
const QList<Qt::PenStyle> kPrintPens{Qt::SolidLine, Qt::DashLine, Qt::DotLine, Qt::DashDotLine};

QColor faint(QColor colour, double alpha) {
    colour.setAlphaF(static_cast<float>(alpha));
    return colour;
}

}  // namespace

ParallelPainter::ParallelPainter(const BrushedLines& lines, const ParallelLook& look,
                                 const ParallelLayout& layout, bool print)
    : m_all(lines),
      m_look(look),
      m_layout(layout),
      m_print(print),
      m_ground(print ? QColor(Qt::white) : theme().panel),
      m_ink(print ? QColor("#222222") : theme().text),
      m_muted(print ? QColor("#444444") : theme().muted),
      m_faded(print ? QColor("#e4e4e4") : faint(theme().background, 0.35)),
      m_line(print ? QColor("#0072b2") : theme().accent),
      m_background(print ? QColor("#a8a8a8") : faint(theme().muted, 0.45)),
      m_brush(print ? QColor("#d5d5d5") : theme().accentSoft),
      m_unknown(print ? QColor("#a8a8a8") : theme().muted) {}

QColor ParallelPainter::insideInk() const {
    const auto lines = static_cast<double>(m_all.lines().size());
    return m_look.standsOut() ? m_background
                              : faint(m_line, std::clamp(60.0 / (lines + 1), 0.12, 0.85));
}

QColor ParallelPainter::colourOf(const ParallelLine& line, int axis) const {
    return std::isfinite(m_all.coordinateOf(line, axis))
               ? scaleLineColour(m_all.shareOf(line, axis), theme().dark && !m_print)
               : m_unknown;
}

void ParallelPainter::drawLine(QPainter& painter, const ParallelLine& line) const {
    QPolygonF whole;
    QList<QLineF> gaps;
    eachStroke(m_all, m_layout, line, [&](const QPointF& from, const QPointF& to, bool dotted) {
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

void ParallelPainter::drawLines(QPainter& painter) const {
    const QList<ParallelLine>& lines = m_all.lines();
    painter.setRenderHint(QPainter::Antialiasing, lines.size() <= kSmoothLines);
    const std::vector<bool> inside = m_all.passing();
    const int coloured = m_look.scaleAxis(m_all);
    const bool standsOut = m_look.standsOut();
    for (const bool above : {false, true}) {
        painter.setPen(above ? QPen(insideInk(), standsOut ? 1 : 1.4) : QPen(m_faded, 1));
        for (int i = 0; i < lines.size(); ++i) {
            if (inside[static_cast<std::size_t>(i)] == above &&
                !(above && standsOut && m_look.highlighted.contains(lines[i].key))) {
                if (above && coloured >= 0) {
                    painter.setPen(QPen(colourOf(lines[i], coloured), 1.4));
                }
                drawLine(painter, lines[i]);
            }
        }
    }
    drawHighlighted(painter, inside);
}

void ParallelPainter::drawHighlighted(QPainter& painter, const std::vector<bool>& inside) const {
    if (!m_look.standsOut()) {
        return;
    }
    const QList<ParallelLine>& lines = m_all.lines();
    const int coloured = m_look.scaleAxis(m_all);
    const bool isScaled = coloured >= 0;
    int index = 0;
    for (int i = 0; i < lines.size(); ++i) {
        const auto look = m_look.highlighted.constFind(lines[i].key);
        if (inside[static_cast<std::size_t>(i)] && look != m_look.highlighted.constEnd()) {
            QPen pen(isScaled  ? colourOf(lines[i], coloured)
                     : m_print ? printSeries()[index % printSeries().size()]
                               : look->colour,
                     isScaled ? 3.2 : 2.2);
            pen.setStyle(m_print    ? kPrintPens[index % kPrintPens.size()]
                         : isScaled ? Qt::SolidLine
                                    : look->pen);
            painter.setPen(pen);
            drawLine(painter, lines[i]);
            ++index;
        }
    }
}

void ParallelPainter::drawCurrent(QPainter& painter, const ParallelLine& line) const {
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(m_ink, 3));
    drawLine(painter, line);
}

void ParallelPainter::drawName(QPainter& painter, const ParallelLine& line, int axis) const {
    if (!std::isfinite(m_all.coordinateOf(line, axis))) {
        return;
    }
    const QFontMetricsF metrics(painter.font());
    const QString name = metrics.elidedText(line.name, Qt::ElideMiddle, m_layout.plot.width() / 2);
    QRectF place(0, 0, metrics.horizontalAdvance(name) + 12, metrics.height() + 6);
    place.moveBottomLeft({m_layout.x(axis) + 10, m_layout.y(m_all.shareOf(line, axis)) - 8});
    place.moveRight(std::min(place.right(), m_layout.plot.right() + m_layout.plot.left() - 4));
    place.moveTop(std::max(place.top(), m_layout.plot.top()));
    painter.setPen(m_muted);
    painter.setBrush(m_ground);
    painter.drawRect(place);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(m_ink);
    painter.drawText(place, Qt::AlignCenter, name);
}

void ParallelPainter::drawAxes(QPainter& painter, int focused) const {
    painter.setRenderHint(QPainter::Antialiasing, false);
    const QFontMetricsF metrics(painter.font());
    const double gap = m_layout.gap();
    for (int axis = 0; axis < m_layout.axes; ++axis) {
        const double x = m_layout.x(axis);
        const AxisRange& range = m_all.range(axis);
        if (const std::optional<AxisRange> brush = m_all.brush(axis)) {
            const QRectF box(QPointF(x - 6, m_layout.y(range.share(brush->high))),
                             QPointF(x + 6, m_layout.y(range.share(brush->low))));
            painter.fillRect(box, m_brush);
            painter.setPen(m_line);
            painter.drawRect(box);
        }
        if (axis == m_look.scaleAxis(m_all)) {  // the scale
            constexpr int kShades = 40;
            for (int step = 0; step < kShades; ++step) {
                const double low = m_layout.y(static_cast<double>(step) / kShades);
                const double high = m_layout.y((step + 1.0) / kShades);
                painter.fillRect(QRectF(QPointF(x - 5, high), QPointF(x - 1, low)),
                                 scaleLineColour((step + 0.5) / kShades, theme().dark && !m_print));
            }
        }
        painter.setPen(QPen(axis == focused ? m_line : m_muted, axis == focused ? 2 : 1));
        painter.drawLine(QPointF(x, m_layout.plot.top()), QPointF(x, m_layout.plot.bottom()));
        QFont bold = painter.font();
        const QFont plain = bold;
        bold.setBold(true);
        painter.setFont(bold);
        painter.setPen(m_ink);
        const QString title =
            QFontMetricsF(bold).elidedText(m_all.axes()[axis].name, Qt::ElideRight, gap - 8);
        painter.drawText(QRectF(x - gap / 2, 0, gap, metrics.height() + 4), Qt::AlignCenter, title);
        painter.setFont(plain);
    }
    // When all else stands: an axis' words reach as far as the next one.
    for (int axis = 0; axis < m_layout.axes; ++axis) {
        drawTicks(painter, axis);
    }
}

QList<Tick> ParallelPainter::ticksOf(int axis) const {
    const AxisRange& range = m_all.range(axis);
    const bool logarithmic = m_all.axes()[axis].logarithmic;
    if (range.single) {
        const double middle = (range.low + range.high) / 2;
        return {{middle, formatNumber(logarithmic ? std::pow(10, middle) : middle)}};
    }
    const QStringList& categories = m_all.axes()[axis].categories;
    QList<Tick> ticks;
    for (int place = 0; place < categories.size(); ++place) {
        ticks.append({static_cast<double>(place), categories[place]});
    }
    if (!ticks.isEmpty()) {
        return ticks;
    }
    return logarithmic ? logarithmicTicks(std::pow(10, range.low), std::pow(10, range.high)).ticks
                       : linearTicks(range.low, range.high,
                                     std::max(3, static_cast<int>(m_layout.plot.height() / 50)))
                             .ticks;
}

void ParallelPainter::drawTicks(QPainter& painter, int axis) const {
    const QFontMetricsF metrics(painter.font());
    const double x = m_layout.x(axis);
    const AxisRange& range = m_all.range(axis);
    const bool last = axis + 1 == m_layout.axes && axis > 0;
    const double room = (last ? m_layout.plot.left() : m_layout.gap()) - 14;
    double lastY = 1e9;
    painter.setPen(m_muted);
    for (const Tick& tick : ticksOf(axis)) {
        const double share = range.share(tick.position);
        const double y = m_layout.y(share);
        if (share < -1e-9 || share > 1 + 1e-9 || lastY - y < metrics.height() * 0.9) {
            continue;
        }
        lastY = y;
        painter.drawLine(QPointF(x - 3, y), QPointF(x + 3, y));
        const QString text = metrics.elidedText(tick.label, Qt::ElideMiddle, room);
        // Behind the axis, on a ground of its own where lines run.
        const QRectF place(x + 7, y - metrics.height() / 2, metrics.horizontalAdvance(text) + 2,
                           metrics.height());
        painter.fillRect(place, m_ground);
        painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter, text);
    }
}

}  // namespace cospadi::ui
