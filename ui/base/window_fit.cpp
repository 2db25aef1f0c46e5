#include "ui/base/window_fit.h"

#include <QEvent>
#include <QScreen>
#include <QStyle>
#include <QWidget>
#include <algorithm>
#include <utility>

namespace cospadi::ui {

WindowFit::WindowFit(QWidget* window) : QObject(window), m_window(window) {
    window->installEventFilter(this);
    fit({0, window->style()->pixelMetric(QStyle::PM_TitleBarHeight)});
}

bool WindowFit::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_window && event->type() == QEvent::ActivationChange &&
        m_window->isActiveWindow() && !std::exchange(m_hasFrame, true)) {
        fit(m_window->frameGeometry().size() - m_window->size());
    }
    return QObject::eventFilter(watched, event);
}

void WindowFit::fit(const QSize& frame) {
    if (m_window->isMaximized() || m_window->isFullScreen()) {
        return;
    }
    const QRect room = m_window->screen()->availableGeometry();
    const QSize inside = m_window->size().boundedTo(room.size() - frame);
    const QSize whole = inside + frame;
    m_window->resize(inside);
    m_window->move(
        std::max(room.left(), std::min(m_window->x(), room.left() + room.width() - whole.width())),
        std::max(room.top(), std::min(m_window->y(), room.top() + room.height() - whole.height())));
}

}  // namespace cospadi::ui
