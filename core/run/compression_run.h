// A run from specification to result: resolve, calibrate, compress matrix by matrix, record.
//
// Every finished matrix is renamed into place, so a run that was cancelled or killed goes on with
// the first matrix that is missing and ends in the same files as one that was not. Matrices are
// independent, so several are in flight at once, each with its own backend.
#pragma once

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>

#include "core/linalg/compute_device.h"
#include "core/run/resolve_specification.h"
#include "core/run/run_events.h"
#include "core/run/run_summary.h"

namespace cospadi {

// How, not what: a run may go on with another of these. Only the device shows in the files, by
// rounding: the errors of its matrices agree to about four digits with the CPU's.
struct RunExecution {
    int threads = 0;            // 0 = all cores
    bool writeModel = true;     // the compressed model folder, DIR/model …
    bool partialModel = false;  // … also where only some of the layers are compressed
    EventCallback onEvent;      // progress included
    // Once, as soon as the run's directory is there and locked: others see from now on that it is
    // at work.
    std::function<void()> onOpened;
    PauseGate* gate = nullptr;
    ComputeDevice device;  // the CPU, unless told otherwise
    std::string id;        // of a new run; empty: a fresh one
    // Of a run that is refined: a finished one, equal but for that, whose matrices are taken
    // instead of solving them. Empty: one that lies beside it, where there is one.
    std::filesystem::path solved;
};

// directory empty: a new one under runsDirectory(), named as the run. Throws Error for what is
// wrong with the specification, model, text or disk; a failed run has no result and can be resumed.
// What can be known to be wrong before, leaves no directory. Of a finished run, matrices whose
// files are damaged are made again.
RunSummary executeRun(const RunSpecification& specification, const std::filesystem::path& directory,
                      const RunExecution& execution, const std::stop_token& stop = {});

}  // namespace cospadi
