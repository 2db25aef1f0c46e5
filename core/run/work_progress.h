// Progress of a run's stages, told by who computes them and knows of no pauses, in seconds of work.
#pragma once

#include <algorithm>
#include <string>

#include "core/base/progress.h"
#include "core/run/run_events.h"

namespace cospadi {

class WorkProgress {
  public:
    // gate: null where nothing can pause the work; must outlive it.
    explicit WorkProgress(const PauseGate* gate) : m_gate(gate) {}

    // Of a stage's first message nothing is subtracted. Not thread-safe.
    Progress of(Progress told) {
        const double paused = m_gate != nullptr ? m_gate->pausedSeconds() : 0;
        if (told.stage != m_stage) {
            m_stage = told.stage;
            m_pausedBefore = paused;
        }
        const double work = std::max(0.0, told.seconds - (paused - m_pausedBefore));
        if (told.seconds > 0 && told.etaSeconds > 0) {
            told.etaSeconds *= work / told.seconds;
        }
        told.seconds = work;
        return told;
    }

  private:
    const PauseGate* m_gate;
    std::string m_stage;
    double m_pausedBefore = 0;
};

}  // namespace cospadi
