#include "ui/engine/event_coalescer.h"

#include <utility>

namespace cospadi::ui {

EventCoalescer::EventCoalescer(QObject* parent, int milliseconds) : QObject(parent) {
    m_timer.setSingleShot(true);
    m_timer.setInterval(milliseconds);
    connect(&m_timer, &QTimer::timeout, this, &EventCoalescer::flush);
}

void EventCoalescer::add(const QJsonObject& event) {
    m_events.append(event);
    if (!m_isHeld && !m_timer.isActive()) {
        m_timer.start();
    }
}

void EventCoalescer::hold() {
    m_timer.stop();
    m_isHeld = true;
}

void EventCoalescer::flush() {
    m_timer.stop();
    m_isHeld = false;
    if (!m_events.isEmpty()) {
        emit batchReady(std::exchange(m_events, {}));
    }
}

}  // namespace cospadi::ui
