#include "core/run/run_events.h"

#include <nlohmann/json.hpp>

namespace cospadi {

nlohmann::json progressEvent(const Progress& progress) {
    return {{"event", "progress"},         {"stage", progress.stage},
            {"done", progress.done},       {"total", progress.total},
            {"seconds", progress.seconds}, {"eta_seconds", progress.etaSeconds}};
}

void PauseGate::pause() {
    const std::scoped_lock lock(m_mutex);
    if (!m_paused) {
        m_sincePaused = Stopwatch();
        m_paused = true;
    }
}

void PauseGate::resume() {
    {
        const std::scoped_lock lock(m_mutex);
        m_earlierPauses += m_paused ? m_sincePaused.seconds() : 0;
        m_paused = false;
    }
    m_changed.notify_all();
}

bool PauseGate::paused() const {
    const std::scoped_lock lock(m_mutex);
    return m_paused;
}

double PauseGate::pausedSeconds() const {
    const std::scoped_lock lock(m_mutex);
    return m_earlierPauses + (m_paused ? m_sincePaused.seconds() : 0);
}

void PauseGate::wait(const std::stop_token& stop) {
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, stop, [this] { return !m_paused; });
}

double passGate(PauseGate* gate, const std::stop_token& stop) {
    if (gate == nullptr || !gate->paused()) {
        return 0;
    }
    const Stopwatch clock;
    gate->wait(stop);
    return clock.seconds();
}

}  // namespace cospadi
