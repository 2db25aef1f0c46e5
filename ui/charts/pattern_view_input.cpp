// What a map does under the hand: wheel, mouse and keys.
#include <QKeyEvent>
#include <QMouseEvent>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "ui/charts/pattern_view.h"

namespace cospadi::ui {

namespace {

// Where the cursor goes from there by this key; nullopt: nowhere, it is none of its keys. page: of
// rows that are in view.
std::optional<QPoint> moved(const QKeyEvent& event, const QPoint& from, const QSize& map,
                            int page) {
    const QPoint last(map.width() - 1, map.height() - 1);
    const bool far = event.modifiers().testFlag(Qt::ControlModifier);
    switch (event.key()) {
        case Qt::Key_Left:
            return from - QPoint(1, 0);
        case Qt::Key_Right:
            return from + QPoint(1, 0);
        case Qt::Key_Up:
            return from - QPoint(0, 1);
        case Qt::Key_Down:
            return from + QPoint(0, 1);
        case Qt::Key_PageUp:
            return from - QPoint(0, page);
        case Qt::Key_PageDown:
            return from + QPoint(0, page);
        case Qt::Key_Home:
            return far ? QPoint(0, 0) : QPoint(0, from.y());
        case Qt::Key_End:
            return far ? last : QPoint(last.x(), from.y());
        default:
            return std::nullopt;
    }
}

}  // namespace

void PatternView::wheelEvent(QWheelEvent* event) {
    zoom(std::pow(1.0015, event->angleDelta().y()));
    event->accept();
}

void PatternView::mousePressEvent(QMouseEvent* event) {
    m_pressed = event->pos();
    QGraphicsView::mousePressEvent(event);
}

void PatternView::mouseReleaseEvent(QMouseEvent* event) {
    QGraphicsView::mouseReleaseEvent(event);
    constexpr int kStill = 4;  // less is a click
    const QPointF at = mapToScene(event->pos());
    if (event->button() == Qt::LeftButton &&
        (event->pos() - m_pressed).manhattanLength() < kStill && sceneRect().contains(at)) {
        emit chosen(static_cast<int>(at.y()), static_cast<int>(at.x()),
                    event->modifiers().testFlag(Qt::ShiftModifier));
    }
}

void PatternView::mouseMoveEvent(QMouseEvent* event) {
    QGraphicsView::mouseMoveEvent(event);
    const QPointF at = mapToScene(event->pos());
    if (sceneRect().contains(at) && at.x() >= 0 && at.y() >= 0) {
        emit pointedAt(static_cast<int>(at.y()), static_cast<int>(at.x()));
    } else {
        emit pointedAt(-1, -1);
    }
}

void PatternView::leaveEvent(QEvent* event) {
    QGraphicsView::leaveEvent(event);
    emit pointedAt(-1, -1);
}

void PatternView::setCursorEntry(const std::optional<QPoint>& entry) {
    m_cursor = entry;
    viewport()->update();
    if (!entry) {
        emit pointedAt(-1, -1);
        return;
    }
    constexpr int kMargin = 24;  // pixels that stay in view around it
    ensureVisible(QRectF(*entry, QSizeF(1, 1)), kMargin, kMargin);
    emit pointedAt(entry->y(), entry->x());
}

// The first key of the cursor's shows it: in the middle of what is seen.
bool PatternView::moveCursor(const QKeyEvent& event) {
    const QSize map = image().size();
    const int seen =
        static_cast<int>(viewport()->height() / std::max(transform().m22(), 1e-9));  // rows
    const QPointF middle = centre();
    const QPoint start = m_cursor.value_or(
        QPoint(static_cast<int>(std::floor(middle.x())), static_cast<int>(std::floor(middle.y()))));
    std::optional<QPoint> next = isEmpty() ? std::nullopt : moved(event, start, map, seen);
    if (!next) {
        return false;
    }
    if (!m_cursor) {
        next = start;
    }
    setCursorEntry(QPoint(std::clamp(next->x(), 0, map.width() - 1),
                          std::clamp(next->y(), 0, map.height() - 1)));
    return true;
}

void PatternView::keyPressEvent(QKeyEvent* event) {
    constexpr double kZoomStep = 1.25;
    const bool isReturn = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (event->key() == Qt::Key_Plus || event->key() == Qt::Key_Equal) {
        zoom(kZoomStep);
    } else if (event->key() == Qt::Key_Minus) {
        zoom(1 / kZoomStep);
    } else if (event->key() == Qt::Key_0) {
        fit();
    } else if (event->key() == Qt::Key_Escape && m_cursor) {
        setCursorEntry(std::nullopt);
    } else if (isReturn && m_cursor && event->modifiers().testFlag(Qt::ControlModifier)) {
        event->ignore();  // the window's: runs
    } else if (isReturn && m_cursor) {
        emit chosen(m_cursor->y(), m_cursor->x(), event->modifiers().testFlag(Qt::ShiftModifier));
    } else if (!moveCursor(*event)) {
        QGraphicsView::keyPressEvent(event);
    }
}

void PatternView::focusOutEvent(QFocusEvent* event) {
    QGraphicsView::focusOutEvent(event);
    viewport()->update();
}

}  // namespace cospadi::ui
