#include "core/run/run_ending.h"

#include <exception>

namespace cospadi {

RunSummary tellingFailure(RunReporter& report, const std::function<RunSummary()>& work) {
    try {
        return work();
    } catch (const std::exception& error) {
        // The event may itself fail to be written: the first error is what counts.
        try {
            report.runFinished("failed", error.what());
        } catch (const std::exception&) {
        }
        throw;
    }
}

RunSummary tellCancelled(RunReporter& report, const RunWriter& writer, std::size_t matrices) {
    report.runFinished("cancelled", "");
    RunSummary summary;
    summary.id = writer.id();
    summary.directory = writer.directory();
    summary.termination = Termination::Cancelled;
    summary.matrices = static_cast<std::int64_t>(matrices);
    return summary;
}

}  // namespace cospadi
