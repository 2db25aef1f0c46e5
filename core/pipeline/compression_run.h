// A run from specification to result: resolve, calibrate, compress matrix by matrix, record.
//
// Every finished matrix is renamed into place, so a run that was cancelled or killed goes on with
// the first matrix that is missing and ends in the same files as one that was not. Matrices are
// independent, so several are in flight at once, each with its own backend.
#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>

#include "core/dictionary/iteration_summary.h"
#include "core/linalg/compute_device.h"
#include "core/pipeline/resolve_specification.h"
#include "core/pipeline/run_events.h"

namespace cospadi {

// How, not what: a run may go on with another of these. Only the device shows in the files, by
// rounding: the errors of its matrices agree to about four digits with the CPU's.
struct RunExecution {
    int threads = 0;            // 0 = all cores
    bool writeModel = true;     // the compressed model folder, DIR/model …
    bool partialModel = false;  // … also where only some of the layers are compressed
    EventCallback onEvent;      // progress included
    PauseGate* gate = nullptr;
    ComputeDevice device;  // the CPU, unless told otherwise
};

struct RunSummary {
    std::string id;
    std::filesystem::path directory;
    Termination termination = Termination::Failed;  // Converged = finished, or Cancelled
    std::int64_t matrices = 0;
    std::int64_t bytes = 0;
    std::int64_t denseBytes = 0;
    double relativeError = 0;     // mean over matrices
    double seconds = 0;           // of all starts together
    std::int64_t modelBytes = 0;  // of DIR/model; 0 where it was not written
};

// Of a finished run, from its files. Throws Error naming the file and field that are damaged.
RunSummary summaryOfRun(const std::filesystem::path& directory);

// The same of a run that has all that it says: a result, and each matrix' file, by header and size.
std::optional<RunSummary> wholeRun(const std::filesystem::path& directory);

// directory empty: a new one under runsDirectory(), named as the run. Throws Error for what is
// wrong with the specification, model, text or disk; a failed run has no result and can be resumed.
// What can be known to be wrong before, leaves no directory. Of a finished run, matrices whose
// files are damaged are made again.
RunSummary executeRun(const RunSpecification& specification, const std::filesystem::path& directory,
                      const RunExecution& execution, const std::stop_token& stop = {});

}  // namespace cospadi
