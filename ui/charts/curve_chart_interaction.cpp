// CurveChart under the hand: zoom, pan, the values under the pointer; and on its way into a file.
#include <QCategoryAxis>
#include <QChart>
#include <QKeyEvent>
#include <QLocale>
#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "ui/base/theme.h"
#include "ui/charts/curve_chart.h"

namespace cospadi::ui {

namespace {

constexpr double kWheelStep = 1.2;
constexpr int kMostValues = 8;  // lines of the box under the pointer
constexpr double kReach = 14;   // pixels from a lone point within which it is meant

}  // namespace

void CurveChart::zoomTo(const std::optional<QRectF>& area) {
    m_zoomed = area;
    for (qsizetype i = 0; i < m_entries.size(); ++i) {
        drawEntry(i);
    }
    updateAxes();
}

QPointF CurveChart::valueAt(const QPointF& position) const {
    const QRectF plot = chart()->plotArea();
    return {m_x->min() + (position.x() - plot.left()) / plot.width() * (m_x->max() - m_x->min()),
            m_y->max() - (position.y() - plot.top()) / plot.height() * (m_y->max() - m_y->min())};
}

void CurveChart::zoomBy(double x, double y, const QPointF& around) {
    if (m_curves.isEmpty()) {
        return;
    }
    const QRectF now = m_zoomed.value_or(m_full);
    const QPointF centre = valueAt(around);
    QRectF area(QPointF(centre.x() - (centre.x() - now.left()) * x,
                        centre.y() - (centre.y() - now.top()) * y),
                QSizeF(now.width() * x, now.height() * y));
    if (area.width() < m_full.width() * 1e-5 || area.height() < m_full.height() * 1e-5) {
        return;
    }
    area &= m_full;
    zoomTo(area.width() > m_full.width() * 0.999 && area.height() > m_full.height() * 0.999
               ? std::nullopt
               : std::optional(area));
}

QStringList CurveChart::valuesAt(double x, double pixelsPerUnit) const {
    QStringList lines;
    for (const Curve& curve : m_curves) {
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
            std::abs(nearest->x() - x) * pixelsPerUnit > kReach) {
            continue;
        }
        const auto which = nearest - curve.points.begin();
        QString text = curve.name;
        if (which < curve.pointNames.size() && curve.pointNames[which] != curve.name) {
            text += (text.isEmpty() ? QString() : QStringLiteral(" · ")) + curve.pointNames[which];
        }
        lines << QStringLiteral("%1%2 (%3)")
                     .arg(text.isEmpty() ? QString() : text + QStringLiteral(": "),
                          QLocale().toString(nearest->y(), 'g', 4),
                          QLocale().toString(nearest->x(), 'g', 6));
    }
    return lines;
}

void CurveChart::drawForeground(QPainter* painter, const QRectF& rect) {
    QChartView::drawForeground(painter, rect);
    if (!m_pointer || m_dragged || m_curves.isEmpty()) {
        return;
    }
    const QRectF plot = chart()->plotArea();
    const double perUnit = plot.width() / std::max(m_x->max() - m_x->min(), 1e-300);
    QStringList lines = valuesAt(valueAt(*m_pointer).x(), perUnit);
    if (lines.isEmpty()) {
        return;
    }
    if (lines.size() > kMostValues) {
        const auto more = lines.size() - kMostValues;
        lines = lines.mid(0, kMostValues) << tr("and %1 more").arg(more);
    }
    painter->save();
    painter->setPen(QPen(theme().muted, 1, Qt::DotLine));
    painter->drawLine(QPointF(m_pointer->x(), plot.top()), QPointF(m_pointer->x(), plot.bottom()));
    painter->drawLine(QPointF(plot.left(), m_pointer->y()), QPointF(plot.right(), m_pointer->y()));
    const QFontMetricsF metrics(font());
    double width = 0;
    for (const QString& line : lines) {
        width = std::max(width, metrics.horizontalAdvance(line));
    }
    QRectF box(m_pointer->x() + 12, m_pointer->y() + 12, width + 14,
               static_cast<double>(lines.size()) * metrics.height() + 8);
    if (box.right() > plot.right()) {
        box.moveRight(m_pointer->x() - 12);
    }
    if (box.bottom() > plot.bottom()) {
        box.moveBottom(m_pointer->y() - 12);
    }
    box.moveLeft(std::max(box.left(), 2.0));
    box.moveTop(std::max(box.top(), 2.0));
    QColor back = theme().panel;
    back.setAlpha(235);
    painter->setPen(theme().line);
    painter->setBrush(back);
    painter->drawRoundedRect(box, 4, 4);
    painter->setPen(theme().text);
    painter->setFont(font());
    painter->drawText(box.adjusted(7, 4, -7, -4), Qt::AlignLeft | Qt::AlignTop,
                      lines.join(QLatin1Char('\n')));
    painter->restore();
}

void CurveChart::wheelEvent(QWheelEvent* event) {
    const double factor = std::pow(kWheelStep, -event->angleDelta().y() / 120.0);
    const bool xOnly = event->modifiers().testFlag(Qt::ShiftModifier);
    const bool yOnly = event->modifiers().testFlag(Qt::ControlModifier);
    zoomBy(yOnly ? 1 : factor, xOnly ? 1 : factor, event->position());
    event->accept();
}

void CurveChart::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton && m_zoomed) {
        m_dragged = event->position();
        viewport()->setCursor(Qt::ClosedHandCursor);
    }
    QChartView::mousePressEvent(event);
}

void CurveChart::mouseMoveEvent(QMouseEvent* event) {
    const bool over = chart()->plotArea().contains(event->position());
    m_pointer = over ? std::optional(event->position()) : std::nullopt;
    if (m_dragged && m_zoomed) {
        QRectF area = m_zoomed->translated(valueAt(*m_dragged) - valueAt(event->position()));
        area.moveLeft(std::clamp(area.left(), m_full.left(), m_full.right() - area.width()));
        area.moveTop(std::clamp(area.top(), m_full.top(), m_full.bottom() - area.height()));
        m_dragged = event->position();
        zoomTo(area);
    }
    viewport()->update();
    QChartView::mouseMoveEvent(event);
}

void CurveChart::mouseReleaseEvent(QMouseEvent* event) {
    m_dragged.reset();
    viewport()->unsetCursor();
    QChartView::mouseReleaseEvent(event);
}

void CurveChart::mouseDoubleClickEvent(QMouseEvent* /*event*/) { zoomTo(std::nullopt); }

void CurveChart::leaveEvent(QEvent* event) {
    m_pointer.reset();
    viewport()->update();
    QChartView::leaveEvent(event);
}

void CurveChart::keyPressEvent(QKeyEvent* event) {
    const QPointF middle = chart()->plotArea().center();
    if (event->key() == Qt::Key_Plus || event->key() == Qt::Key_Equal) {
        zoomBy(1 / kWheelStep, 1 / kWheelStep, middle);
    } else if (event->key() == Qt::Key_Minus) {
        zoomBy(kWheelStep, kWheelStep, middle);
    } else if (event->key() == Qt::Key_0) {
        zoomTo(std::nullopt);
    } else {
        QChartView::keyPressEvent(event);
    }
}

ExportSource CurveChart::exportSource(const QString& name) const {
    ExportSource source;
    source.name = name;
    source.screenSize = size();
    // A chart of its own, so that the file does not depend on the size of the window.
    const auto settings = [x = m_x->titleText(), y = m_y->titleText(), curves = m_curves,
                           ticks = m_xTicks, margin = m_xMargin, logarithmic = m_logarithmic,
                           whole = m_wholeX, zero = m_zeroBased, smoothing = m_smoothing,
                           zoomed = m_zoomed](CurveChart& copy) {
        copy.setAxisTitles(x, y);
        copy.setWholeX(whole);
        copy.setZeroBased(zero);
        copy.setXTicks(ticks, margin);
        copy.setLogarithmic(logarithmic);
        copy.setSmoothing(smoothing);
        copy.setCurves(curves);
        copy.zoomTo(zoomed);
    };
    source.draw = [settings](QPainter& painter, const QSize& size, bool print) {
        CurveChart copy;
        copy.keepTitles();
        copy.setMinimumSize(1, 1);
        copy.resize(size);
        copy.setPrintLook(print);
        settings(copy);
        copy.grab();  // lays it out without showing it
        copy.render(&painter, QRectF(QPointF(0, 0), size), copy.viewport()->rect());
    };
    source.csv = [text = csv()] { return text; };
    return source;
}

QString CurveChart::csv() const {
    QString text = QStringLiteral("curve,%1,%2,point\n")
                       .arg(csvCell(m_x->titleText()), csvCell(m_y->titleText()));
    for (const Curve& curve : m_curves) {
        for (qsizetype i = 0; i < curve.points.size(); ++i) {
            text += QStringLiteral("%1,%2,%3,%4\n")
                        .arg(csvCell(curve.name))
                        .arg(curve.points[i].x(), 0, 'g', 17)
                        .arg(curve.points[i].y(), 0, 'g', 17)
                        .arg(csvCell(curve.pointNames.value(i)));
        }
    }
    return text;
}

}  // namespace cospadi::ui
