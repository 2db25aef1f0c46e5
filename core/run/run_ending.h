// How a run ends that does not finish.
#pragma once

#include <cstddef>
#include <functional>

#include "core/run/run_reporter.h"
#include "core/run/run_summary.h"
#include "core/run/run_writer.h"

namespace cospadi {

// What work() gives. What it throws passes, once the run is told to have failed by it.
RunSummary tellingFailure(RunReporter& report, const std::function<RunSummary()>& work);

// Tells that the run was cancelled. matrices: that are finished.
RunSummary tellCancelled(RunReporter& report, const RunWriter& writer, std::size_t matrices);

}  // namespace cospadi
