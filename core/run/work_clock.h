// Seconds of work: a stopwatch that stands still while the run is paused.
//
// Wall-clock seconds of a run are those of a WorkClock. What matrices take is told in both
// currencies (matrix_file.h): `seconds`, from begin to end less the pauses, of which several pass
// at once, and `core_seconds`, those times the cores that the matrix had.
#pragma once

#include "core/base/stopwatch.h"
#include "core/run/run_events.h"

namespace cospadi {

class WorkClock {
  public:
    // gate: null where nothing can pause the work; must outlive the clock.
    explicit WorkClock(const PauseGate* gate = nullptr) : m_gate(gate), m_pausedBefore(paused()) {}

    double seconds() const { return m_clock.seconds() - (paused() - m_pausedBefore); }

  private:
    double paused() const { return m_gate != nullptr ? m_gate->pausedSeconds() : 0; }

    const PauseGate* m_gate;
    double m_pausedBefore;
    Stopwatch m_clock;
};

}  // namespace cospadi
