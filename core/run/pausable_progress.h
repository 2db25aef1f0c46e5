// How far a stage of a run is, told by who computes it and knows of no pauses: passed on in seconds
// of work, and the place where the stage waits while the run is paused.
#pragma once

#include <stop_token>

#include "core/base/progress.h"
#include "core/run/run_events.h"
#include "core/run/run_reporter.h"

namespace cospadi {

// For any number of stages, one after the other. gate: null where nothing can pause the work. Both
// must outlive the result, which is not thread-safe; copies of it are one. A stop ends the wait.
ProgressCallback pausableProgress(RunReporter& report, PauseGate* gate, std::stop_token stop);

}  // namespace cospadi
