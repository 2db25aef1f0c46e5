// Brushes and axes under the hand, and what is told of them.
#include <QKeyEvent>
#include <QMouseEvent>
#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/base/format.h"
#include "ui/base/names_for_readers.h"
#include "ui/charts/parallel_coordinates_draw.h"

namespace cospadi::ui {

namespace {

constexpr double kShortDrag = 4;  // pixels; less is a click
constexpr double kStep = 0.05;    // of an axis, by keyboard

}  // namespace

void ParallelCoordinates::moveAxis(int to) {
    const int from = m_current;
    if (to >= 0 && to < m_axes.size() && to != from) {
        m_current = to;  // stays with the axis
        emit axisMoved(from, to);
        describe();
    }
}

QString ParallelCoordinates::wordsOf(const ParallelAxis& axis, double at) const {
    return axis.categories.isEmpty()
               ? formatNumber(axis.logarithmic ? std::pow(10, at) : at)
               : axis.categories.value(static_cast<int>(std::lround(
                     std::clamp(at, 0.0, static_cast<double>(axis.categories.size() - 1)))));
}

void ParallelCoordinates::describe() {
    if (m_axes.isEmpty()) {
        return;
    }
    const ParallelAxis& axis = m_axes[m_current];
    const auto brush = m_brushes.constFind(axis.word());
    const bool isBrushed = brush != m_brushes.constEnd();
    const Range& range = isBrushed ? *brush : m_ranges[m_current];
    const int inside = static_cast<int>(passing().size());
    tellReaders(
        this,
        (isBrushed
             ? tr("axis %1, %2 of %3: brushed from %4 to %5; %n run(s) inside", nullptr, inside)
             : tr("axis %1, %2 of %3: from %4 to %5; %n run(s) inside", nullptr, inside))
            .arg(axis.name)
            .arg(m_current + 1)
            .arg(m_axes.size())
            .arg(wordsOf(axis, range.low), wordsOf(axis, range.high)));
}

int ParallelCoordinates::currentLine() const {
    const auto found =
        std::find_if(m_lines.begin(), m_lines.end(),
                     [this](const ParallelLine& line) { return line.key == m_line; });
    return m_line.isEmpty() || found == m_lines.end() ? -1
                                                      : static_cast<int>(found - m_lines.begin());
}

// From no line to the first one, from the last one nowhere.
void ParallelCoordinates::stepLine(int direction) {
    const std::vector<bool> inside = passingLines();
    std::vector<std::pair<double, int>> order;
    for (int i = 0; i < m_lines.size(); ++i) {
        const double at = coordinateOf(m_lines[i], m_current);
        if (inside[static_cast<std::size_t>(i)] && std::isfinite(at)) {
            order.emplace_back(direction * at, direction * i);
        }
    }
    std::sort(order.begin(), order.end());
    const int line = currentLine();
    const auto here = std::find_if(order.begin(), order.end(), [&](const auto& place) {
        return line >= 0 && place.second == direction * line;
    });
    const auto next = here == order.end() ? order.begin() : here + 1;
    if (next != order.end()) {
        const int at = direction * next->second;
        m_line = m_lines[at].key;
        describeLine(at);
        update();
    }
}

void ParallelCoordinates::describeLine(int line) {
    QStringList values;
    for (int axis = 0; axis < m_axes.size(); ++axis) {
        const double at = coordinateOf(m_lines[line], axis);
        values << m_axes[axis].name + QLatin1Char(' ') +
                      (std::isfinite(at) ? wordsOf(m_axes[axis], at) : kMissing);
    }
    tellReaders(this,
                m_lines[line].name + QStringLiteral(": ") + values.join(QStringLiteral(", ")));
}

void ParallelCoordinates::mousePressEvent(QMouseEvent* event) {
    const int axis =
        event->button() == Qt::LeftButton && !m_lines.isEmpty() ? axisAt(event->position()) : -1;
    const Drawing drawing = Drawing::of(size(), font(), static_cast<int>(m_axes.size()), false);
    // Names stand wider than their axes.
    const bool isName = event->button() == Qt::LeftButton && !m_lines.isEmpty() &&
                        event->position().y() < drawing.plot.top() - kShortDrag;
    m_carried = isName ? nearestAxis(event->position()) : -1;
    m_dragged = isName ? -1 : axis;
    m_dragStart = event->position().y();
    if (m_dragged >= 0 || m_carried >= 0) {
        m_current = std::max(m_dragged, m_carried);
        update();
    }
}

void ParallelCoordinates::mouseMoveEvent(QMouseEvent* event) {
    if (m_dragged < 0 || std::abs(event->position().y() - m_dragStart) < kShortDrag) {
        return;
    }
    const Drawing drawing = Drawing::of(size(), font(), static_cast<int>(m_axes.size()), false);
    const Range& range = m_ranges[m_dragged];
    const auto value = [&](double y) {
        const double share = (drawing.plot.bottom() - y) / drawing.plot.height();
        return range.low + std::clamp(share, 0.0, 1.0) * (range.high - range.low);
    };
    const double a = value(m_dragStart);
    const double b = value(event->position().y());
    changeBrush(m_dragged, {std::min(a, b), std::max(a, b), false});
}

void ParallelCoordinates::mouseReleaseEvent(QMouseEvent* event) {
    if (m_carried >= 0) {
        m_carried = -1;
        moveAxis(nearestAxis(event->position()));
        return;
    }
    if (m_dragged >= 0 && std::abs(event->position().y() - m_dragStart) < kShortDrag) {
        changeBrush(m_dragged, {1, 0, false});
    }
    m_dragged = -1;
    if (m_telling.isActive()) {
        m_telling.stop();
        emit brushed();
    }
}

void ParallelCoordinates::moveBrush(int direction, bool upper) {
    const Range& whole = m_ranges[m_current];
    Range brush = m_brushes.value(m_axes[m_current].word(), whole);
    const double step = kStep * (whole.high - whole.low) * direction;
    double& end = upper ? brush.high : brush.low;
    end = std::clamp(end + step, whole.low, whole.high);
    if (brush.low < brush.high) {
        changeBrush(m_current, brush);
    }
}

void ParallelCoordinates::keyPressEvent(QKeyEvent* event) {
    if (m_axes.isEmpty()) {
        QWidget::keyPressEvent(event);
        return;
    }
    const bool shift = event->modifiers() & Qt::ShiftModifier;
    const int axes = static_cast<int>(m_axes.size());
    switch (event->key()) {
        case Qt::Key_Left:
        case Qt::Key_Right:
            if (shift) {
                moveAxis(m_current + (event->key() == Qt::Key_Left ? -1 : 1));
            } else {
                m_current = (m_current + (event->key() == Qt::Key_Left ? axes - 1 : 1)) % axes;
                describe();
            }
            update();
            return;
        case Qt::Key_Up:
        case Qt::Key_Down:
            moveBrush(event->key() == Qt::Key_Up ? 1 : -1, shift);
            describe();
            return;
        case Qt::Key_PageUp:
        case Qt::Key_PageDown:
            stepLine(event->key() == Qt::Key_PageUp ? 1 : -1);
            return;
        case Qt::Key_Delete:
        case Qt::Key_Backspace:
            changeBrush(m_current, {1, 0, false});
            describe();
            return;
        case Qt::Key_Escape:
            clearBrushes();
            return;
        default:
            QWidget::keyPressEvent(event);
    }
}

}  // namespace cospadi::ui
