// What a chart does under the hand: wheel, mouse and keys.
#include <QChart>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "ui/base/names_for_readers.h"
#include "ui/charts/curve_chart.h"

namespace cospadi::ui {

namespace {

constexpr double kWheelStep = 1.2;

}  // namespace

void CurveChart::wheelEvent(QWheelEvent* event) {
    const double factor = std::pow(kWheelStep, -event->angleDelta().y() / 120.0);
    const bool xOnly = event->modifiers().testFlag(Qt::ShiftModifier);
    const bool yOnly = event->modifiers().testFlag(Qt::ControlModifier);
    zoomBy(yOnly ? 1 : factor, xOnly ? 1 : factor, event->position());
    event->accept();
}

void CurveChart::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton && m_zoom.area()) {
        m_dragged = event->position();
        viewport()->setCursor(Qt::ClosedHandCursor);
    }
    QChartView::mousePressEvent(event);
}

void CurveChart::mouseMoveEvent(QMouseEvent* event) {
    const bool over = chart()->plotArea().contains(event->position());
    m_pointer = over ? std::optional(event->position()) : std::nullopt;
    if (m_dragged && m_zoom.area()) {
        const QRectF plot = chart()->plotArea();
        m_zoom.move(m_axes.valueAt(*m_dragged, plot) - m_axes.valueAt(event->position(), plot),
                    m_axes.full());
        m_dragged = event->position();
        showZoom();
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

// To the next x at which a coloured curve has a point: its values stand in the box, as under the
// pointer, and are told to screen readers.
void CurveChart::readNext(bool forward) {
    std::optional<double> next;
    const QRectF seen = m_axes.area();
    const auto place = [this](double x) { return m_logarithmic.x ? std::log10(x) : x; };
    for (const Curve& curve : m_curves) {
        for (const QPointF& point : curve.points) {
            const double x = point.x();
            const bool fits = curve.highlighted && std::isfinite(point.y()) &&
                              (!m_logarithmic.x || x > 0) && (!m_logarithmic.y || point.y() > 0) &&
                              place(x) >= seen.left() && place(x) <= seen.right() &&
                              (!m_read || (forward ? x > *m_read : x < *m_read));
            if (fits && (!next || (forward ? x < *next : x > *next))) {
                next = x;
            }
        }
    }
    if (!next) {
        return;  // at the end
    }
    m_read = next;
    const QRectF plot = chart()->plotArea();
    m_pointer = QPointF(
        plot.left() + (place(*next) - seen.left()) / std::max(seen.width(), 1e-300) * plot.width(),
        plot.center().y());
    tellReaders(this, valuesAt(*next).join(QStringLiteral("; ")));
    viewport()->update();
}

void CurveChart::keyPressEvent(QKeyEvent* event) {
    const QPointF middle = chart()->plotArea().center();
    if (event->key() == Qt::Key_Plus || event->key() == Qt::Key_Equal) {
        zoomBy(1 / kWheelStep, 1 / kWheelStep, middle);
    } else if (event->key() == Qt::Key_Minus) {
        zoomBy(kWheelStep, kWheelStep, middle);
    } else if (event->key() == Qt::Key_0) {
        zoomTo(std::nullopt);
    } else if (event->key() == Qt::Key_Left || event->key() == Qt::Key_Right) {
        readNext(event->key() == Qt::Key_Right);
    } else if (event->key() == Qt::Key_Escape && m_read) {
        m_read.reset();
        m_pointer.reset();
        viewport()->update();
    } else {
        QChartView::keyPressEvent(event);
    }
}

}  // namespace cospadi::ui
