#include "ui/charts/entry_cursor.h"

#include <QKeyEvent>
#include <QPainter>
#include <algorithm>

#include "ui/base/theme.h"

namespace cospadi::ui {

namespace {

// Where the cursor goes from there by this key; nullopt: nowhere, it is none of its keys.
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

bool EntryCursor::move(const QKeyEvent& event, const QSize& map, const QPoint& middle, int page) {
    const QPoint start = m_entry.value_or(middle);
    std::optional<QPoint> next = map.isEmpty() ? std::nullopt : moved(event, start, map, page);
    if (!next) {
        return false;
    }
    if (!m_entry) {
        next = start;
    }
    m_entry = QPoint(std::clamp(next->x(), 0, map.width() - 1),
                     std::clamp(next->y(), 0, map.height() - 1));
    return true;
}

void EntryCursor::draw(QPainter& painter, const QRectF& map, double pixels) const {
    if (!m_entry) {
        return;
    }
    constexpr double kLeast = 9;  // pixels
    const QPointF middle(m_entry->x() + 0.5, m_entry->y() + 0.5);
    const double side = std::max(1.0, kLeast / pixels);
    QPen pen(theme().warning, 1, Qt::DotLine);
    pen.setCosmetic(true);
    painter.setPen(pen);
    painter.drawLine(QPointF(map.left(), middle.y()), QPointF(map.right(), middle.y()));
    painter.drawLine(QPointF(middle.x(), map.top()), QPointF(middle.x(), map.bottom()));
    pen.setStyle(Qt::SolidLine);
    pen.setWidthF(2);
    painter.setPen(pen);
    painter.drawRect(QRectF(middle - QPointF(side, side) / 2, QSizeF(side, side)));
}

}  // namespace cospadi::ui
