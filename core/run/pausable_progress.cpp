#include "core/run/pausable_progress.h"

#include <memory>
#include <utility>

#include "core/run/work_progress.h"

namespace cospadi {

ProgressCallback pausableProgress(RunReporter& report, PauseGate* gate, std::stop_token stop) {
    // Shared, as functions are copied and a stage is one whoever tells of it.
    const auto work = std::make_shared<WorkProgress>(gate);
    return [work, &report, gate, stop = std::move(stop)](const Progress& told) {
        report.progress(work->of(told));
        passGate(gate, stop);
    };
}

}  // namespace cospadi
