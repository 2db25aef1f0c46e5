#include "ui/charts/curve_hand.h"

#include <QChart>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QWheelEvent>
#include <cmath>

#include "ui/base/names_for_readers.h"
#include "ui/charts/curve_chart.h"
#include "ui/charts/curve_readout.h"

namespace cospadi::ui {

namespace {

constexpr double kWheelStep = 1.2;

}  // namespace

void CurveHand::turnWheel(const QWheelEvent& event) {
    const double factor = std::pow(kWheelStep, -event.angleDelta().y() / 120.0);
    const bool xOnly = event.modifiers().testFlag(Qt::ShiftModifier);
    const bool yOnly = event.modifiers().testFlag(Qt::ControlModifier);
    m_chart.zoomBy(yOnly ? 1 : factor, xOnly ? 1 : factor, event.position());
}

void CurveHand::press(const QMouseEvent& event) {
    if (event.button() == Qt::LeftButton && m_chart.zoomedArea()) {
        m_dragged = event.position();
        m_chart.viewport()->setCursor(Qt::ClosedHandCursor);
    }
}

void CurveHand::move(const QMouseEvent& event) {
    const bool over = m_chart.chart()->plotArea().contains(event.position());
    m_pointer = over ? std::optional(event.position()) : std::nullopt;
    if (m_dragged && m_chart.zoomedArea()) {
        m_chart.moveBy(*m_dragged, event.position());
        m_dragged = event.position();
    }
    m_chart.viewport()->update();
}

void CurveHand::release() {
    m_dragged.reset();
    m_chart.viewport()->unsetCursor();
}

void CurveHand::leave() {
    m_pointer.reset();
    m_chart.viewport()->update();
}

std::optional<QPointF> CurveHand::readingPlace() const {
    return m_dragged ? std::nullopt : m_pointer;
}

void CurveHand::readNext(bool forward) {
    const CurveAxes& axes = m_chart.axes();
    const auto next =
        nextPoint(m_chart.curves(), m_read, forward, m_chart.logarithmicAxes(), axes.area());
    if (!next) {
        return;  // at the end
    }
    m_read = next;
    const QRectF plot = m_chart.chart()->plotArea();
    const double place = m_chart.isLogarithmicX() ? std::log10(*next) : *next;
    m_pointer = QPointF(axes.placeOfX(place, plot), plot.center().y());
    tellReaders(&m_chart, m_chart.valuesAt(*next).join(QStringLiteral("; ")));
    m_chart.viewport()->update();
}

bool CurveHand::pressKey(const QKeyEvent& event) {
    const QPointF middle = m_chart.chart()->plotArea().center();
    if (event.key() == Qt::Key_Plus || event.key() == Qt::Key_Equal) {
        m_chart.zoomBy(1 / kWheelStep, 1 / kWheelStep, middle);
    } else if (event.key() == Qt::Key_Minus) {
        m_chart.zoomBy(kWheelStep, kWheelStep, middle);
    } else if (event.key() == Qt::Key_0) {
        m_chart.zoomTo(std::nullopt);
    } else if (event.key() == Qt::Key_Left || event.key() == Qt::Key_Right) {
        readNext(event.key() == Qt::Key_Right);
    } else if (event.key() == Qt::Key_Escape && m_read) {
        m_read.reset();
        leave();
    } else {
        return false;
    }
    return true;
}

}  // namespace cospadi::ui
