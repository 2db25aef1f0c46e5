#include "core/pipeline/run_events.h"

namespace cospadi {

void PauseGate::pause() {
    const std::scoped_lock lock(m_mutex);
    m_paused = true;
}

void PauseGate::resume() {
    {
        const std::scoped_lock lock(m_mutex);
        m_paused = false;
    }
    m_changed.notify_all();
}

bool PauseGate::paused() const {
    const std::scoped_lock lock(m_mutex);
    return m_paused;
}

void PauseGate::wait(const std::stop_token& stop) {
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, stop, [this] { return !m_paused; });
}

}  // namespace cospadi
