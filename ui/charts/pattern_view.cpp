#include "ui/charts/pattern_view.h"

#include <QGraphicsScene>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "ui/base/theme.h"
#include "ui/charts/pattern_pyramid.h"
#include "ui/charts/pyramid_item.h"

namespace cospadi::ui {

PatternView::PatternView(QWidget* parent) : QGraphicsView(parent), m_item(new PyramidItem) {
    auto* graphics = new QGraphicsScene(this);
    graphics->addItem(m_item);
    setScene(graphics);
    setFrameShape(QFrame::NoFrame);
    setDragMode(QGraphicsView::ScrollHandDrag);
    setTransformationAnchor(QGraphicsView::AnchorUnderMouse);
    setBackgroundBrush(theme().window);
    setMouseTracking(true);
    setMinimumSize(200, 160);
}

bool PatternView::isEmpty() const { return m_item->levels().isEmpty(); }

const QImage& PatternView::image() const {
    static const QImage none;
    return isEmpty() ? none : m_item->levels().first();
}

void PatternView::setPyramid(const QList<QImage>& levels) {
    const bool sameSize = !isEmpty() && !levels.isEmpty() && image().size() == levels[0].size();
    m_item->setLevels(levels);
    if (!sameSize) {
        m_marks = {};
        m_cursor.takeAway();
        setAccessibleDescription(isEmpty()
                                     ? QString()
                                     : tr("%1 rows by %2 columns; arrow keys move between entries, "
                                          "Return selects the row, with Shift the column")
                                           .arg(image().height())
                                           .arg(image().width()));
    }
    applyColours();
    scene()->setSceneRect(m_item->boundingRect());
    if (!sameSize || m_fitted) {
        fit();
    } else {
        emit viewChanged();
    }
}

void PatternView::applyColours() {
    setBackgroundBrush(theme().window);
    m_item->setColours(shadeColours(theme().dark));
    viewport()->update();
}

void PatternView::setMarks(const MapMarks& marks) {
    m_marks = marks;
    viewport()->update();
}

void PatternView::drawForeground(QPainter* painter, const QRectF& rect) {
    const QRectF map = m_item->boundingRect();
    const QRectF room = rect & map;
    if (room.isEmpty()) {
        return;
    }
    drawMapMarks(*painter, m_marks, map, room);
    if (hasFocus()) {
        m_cursor.draw(*painter, map, transform().m11());
    }
}

double PatternView::fittingScale() const {
    const QRectF map = m_item->boundingRect();
    if (map.isEmpty()) {
        return 1;
    }
    return std::min((viewport()->width() - 16) / map.width(),
                    (viewport()->height() - 16) / map.height());
}

void PatternView::fit() {
    const double scale = fittingScale();
    setTransform(QTransform::fromScale(scale, scale));
    centerOn(m_item);
    m_fitted = true;
    emit viewChanged();
}

QPointF PatternView::centre() const { return mapToScene(viewport()->rect().center()); }

void PatternView::showSameAs(const PatternView& other) {
    if (other.isFitted()) {
        fit();
        return;
    }
    m_fitted = false;
    setTransform(other.transform());
    centerOn(other.centre());
}

void PatternView::zoom(double factor) {
    const double now = transform().m11();
    const double least = fittingScale();
    const double next = std::clamp(now * factor, least, std::max(32.0, least));
    m_fitted = next <= least * 1.001;
    scale(next / now, next / now);
    emit viewChanged();
}

void PatternView::scrollContentsBy(int dx, int dy) {
    QGraphicsView::scrollContentsBy(dx, dy);
    emit viewChanged();
}

void PatternView::changeEvent(QEvent* event) {
    QGraphicsView::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_item != nullptr) {
        applyColours();
    }
}

void PatternView::resizeEvent(QResizeEvent* event) {
    QGraphicsView::resizeEvent(event);
    if (m_fitted) {
        fit();
    }
}

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

void PatternView::showCursor() {
    viewport()->update();
    const std::optional<QPoint> entry = m_cursor.entry();
    if (!entry) {
        emit pointedAt(-1, -1);
        return;
    }
    constexpr int kMargin = 24;  // pixels that stay in view around it
    ensureVisible(QRectF(*entry, QSizeF(1, 1)), kMargin, kMargin);
    emit pointedAt(entry->y(), entry->x());
}

bool PatternView::moveCursor(const QKeyEvent& event) {
    const int rowsSeen = static_cast<int>(viewport()->height() / std::max(transform().m22(), 1e-9));
    const QPointF middle = centre();
    const QPoint seen(static_cast<int>(std::floor(middle.x())),
                      static_cast<int>(std::floor(middle.y())));
    if (!m_cursor.move(event, image().size(), seen, rowsSeen)) {
        return false;
    }
    showCursor();
    return true;
}

void PatternView::keyPressEvent(QKeyEvent* event) {
    constexpr double kZoomStep = 1.25;
    const std::optional<QPoint> entry = m_cursor.entry();
    const bool isReturn = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (event->key() == Qt::Key_Plus || event->key() == Qt::Key_Equal) {
        zoom(kZoomStep);
    } else if (event->key() == Qt::Key_Minus) {
        zoom(1 / kZoomStep);
    } else if (event->key() == Qt::Key_0) {
        fit();
    } else if (event->key() == Qt::Key_Escape && entry) {
        m_cursor.takeAway();
        showCursor();
    } else if (isReturn && entry && event->modifiers().testFlag(Qt::ControlModifier)) {
        event->ignore();  // the window's: runs
    } else if (isReturn && entry) {
        emit chosen(entry->y(), entry->x(), event->modifiers().testFlag(Qt::ShiftModifier));
    } else if (!moveCursor(*event)) {
        QGraphicsView::keyPressEvent(event);
    }
}

void PatternView::focusOutEvent(QFocusEvent* event) {
    QGraphicsView::focusOutEvent(event);
    viewport()->update();
}

}  // namespace cospadi::ui
