// The event stream of a run (docs/formats.md): the terminal, the event file, the engine's protocol
// and through it the window all listen to the same messages.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <stop_token>

#include "core/base/progress.h"
#include "core/base/stopwatch.h"

namespace cospadi {

// Called from the threads that do the work, one call at a time.
using EventCallback = std::function<void(const nlohmann::json& event)>;

// The `progress` event without the fields that its sender adds.
nlohmann::json progressEvent(const Progress& progress);

// A gate that work passes between iterations: open, or closed while the user has paused the run.
// Thread-safe.
class PauseGate {
  public:
    void pause();
    void resume();
    bool paused() const;
    // Returns at once while open, else when resumed or when stop is requested.
    void wait(const std::stop_token& stop);
    // How long it has been closed, in all.
    double pausedSeconds() const;

  private:
    mutable std::mutex m_mutex;
    std::condition_variable_any m_changed;
    bool m_paused = false;
    Stopwatch m_sincePaused;     // where m_paused
    double m_earlierPauses = 0;  // seconds
};

// Passes a gate that may be null. Returns the seconds spent waiting.
double passGate(PauseGate* gate, const std::stop_token& stop);

}  // namespace cospadi
