#include "ui/charts/parallel_hand.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/base/names_for_readers.h"
#include "ui/charts/parallel_coordinates.h"
#include "ui/charts/parallel_words.h"

namespace cospadi::ui {

namespace {

constexpr double kShortDrag = 4;  // pixels; less is a click
constexpr double kStep = 0.05;    // of an axis, by keyboard
constexpr AxisRange kNoBrush{1, 0, false};

}  // namespace

void ParallelHand::keepWithin(int axes) { m_axis = std::clamp(m_axis, 0, std::max(0, axes - 1)); }

void ParallelHand::moveAxis(int to) {
    const int from = m_axis;
    if (to >= 0 && to < m_chart.lines().axisCount() && to != from) {
        m_axis = to;  // stays with the axis
        emit m_chart.axisMoved(from, to);
        tellAxis();
    }
}

void ParallelHand::tellAxis() {
    if (m_chart.lines().axisCount() > 0) {
        tellReaders(&m_chart, axisWords(m_chart.lines(), m_axis));
    }
}

int ParallelHand::line() const {
    const QList<ParallelLine>& lines = m_chart.lines().lines();
    const auto found = std::find_if(lines.begin(), lines.end(), [this](const ParallelLine& line) {
        return line.key == m_line;
    });
    return m_line.isEmpty() || found == lines.end() ? -1 : static_cast<int>(found - lines.begin());
}

// From no line to the first one, from the last one nowhere.
void ParallelHand::stepLine(int direction) {
    const BrushedLines& all = m_chart.lines();
    const std::vector<bool> inside = all.passing();
    std::vector<std::pair<double, int>> order;
    for (int i = 0; i < all.lines().size(); ++i) {
        const double at = all.coordinateOf(all.lines()[i], m_axis);
        if (inside[static_cast<std::size_t>(i)] && std::isfinite(at)) {
            order.emplace_back(direction * at, direction * i);
        }
    }
    std::sort(order.begin(), order.end());
    const int current = line();
    const auto here = std::find_if(order.begin(), order.end(), [&](const auto& place) {
        return current >= 0 && place.second == direction * current;
    });
    const auto next = here == order.end() ? order.begin() : here + 1;
    if (next != order.end()) {
        const int at = direction * next->second;
        m_line = all.lines()[at].key;
        tellReaders(&m_chart, lineWords(all, at));
        m_chart.update();
    }
}

void ParallelHand::press(const QMouseEvent& event) {
    const ParallelLayout layout = m_chart.axesLayout();
    const bool isMeant = event.button() == Qt::LeftButton && !m_chart.lines().lines().isEmpty();
    // Names stand wider than their axes.
    const bool isName = isMeant && event.position().y() < layout.plot.top() - kShortDrag;
    m_carried = isName ? layout.nearestAxis(event.position()) : -1;
    m_dragged = isMeant && !isName ? layout.axisAt(event.position()) : -1;
    m_dragStart = event.position().y();
    if (m_dragged >= 0 || m_carried >= 0) {
        m_axis = std::max(m_dragged, m_carried);
        m_chart.update();
    }
}

void ParallelHand::move(const QMouseEvent& event) {
    if (m_dragged < 0 || std::abs(event.position().y() - m_dragStart) < kShortDrag) {
        return;
    }
    const ParallelLayout layout = m_chart.axesLayout();
    const AxisRange& range = m_chart.lines().range(m_dragged);
    const auto value = [&](double y) {
        return range.low + std::clamp(layout.shareAt(y), 0.0, 1.0) * (range.high - range.low);
    };
    const double a = value(m_dragStart);
    const double b = value(event.position().y());
    m_chart.brush(m_dragged, {std::min(a, b), std::max(a, b), false});
}

void ParallelHand::release(const QMouseEvent& event) {
    if (m_carried >= 0) {
        m_carried = -1;
        moveAxis(m_chart.axesLayout().nearestAxis(event.position()));
        return;
    }
    if (m_dragged >= 0 && std::abs(event.position().y() - m_dragStart) < kShortDrag) {
        m_chart.brush(m_dragged, kNoBrush);
    }
    m_dragged = -1;
    m_chart.tellWaiting();
}

void ParallelHand::moveBrush(int direction, bool upper) {
    const AxisRange& whole = m_chart.lines().range(m_axis);
    AxisRange brush = m_chart.lines().brush(m_axis).value_or(whole);
    const double step = kStep * (whole.high - whole.low) * direction;
    double& end = upper ? brush.high : brush.low;
    end = std::clamp(end + step, whole.low, whole.high);
    if (brush.low < brush.high) {
        m_chart.brush(m_axis, brush);
    }
}

bool ParallelHand::pressKey(const QKeyEvent& event) {
    const int axes = m_chart.lines().axisCount();
    if (axes == 0) {
        return false;
    }
    const bool shift = event.modifiers() & Qt::ShiftModifier;
    switch (event.key()) {
        case Qt::Key_Left:
        case Qt::Key_Right:
            if (shift) {
                moveAxis(m_axis + (event.key() == Qt::Key_Left ? -1 : 1));
            } else {
                m_axis = (m_axis + (event.key() == Qt::Key_Left ? axes - 1 : 1)) % axes;
                tellAxis();
            }
            m_chart.update();
            return true;
        case Qt::Key_Up:
        case Qt::Key_Down:
            moveBrush(event.key() == Qt::Key_Up ? 1 : -1, shift);
            tellAxis();
            return true;
        case Qt::Key_PageUp:
        case Qt::Key_PageDown:
            stepLine(event.key() == Qt::Key_PageUp ? 1 : -1);
            return true;
        case Qt::Key_Delete:
        case Qt::Key_Backspace:
            m_chart.brush(m_axis, kNoBrush);
            tellAxis();
            return true;
        case Qt::Key_Escape:
            m_chart.clearBrushes();
            return true;
        default:
            return false;
    }
}

}  // namespace cospadi::ui
