// Tells what a run does: every event to the event file and to whoever listens, progress to the
// listener alone (docs/formats.md). Thread-safe; one event at a time.
#pragma once

#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/dictionary/iteration_summary.h"
#include "core/methods/compress_matrix.h"
#include "core/model/layer_info.h"
#include "core/refine/refinement.h"
#include "core/run/run_events.h"
#include "core/run/run_writer.h"
#include "core/run/work_clock.h"

namespace cospadi {

struct RemovedRow;

class RunReporter {
  public:
    // writer and gate must outlive the reporter; listener may be empty, gate null. Its times are
    // those of a clock that stands still while the gate is closed.
    RunReporter(RunWriter& writer, EventCallback listener, const PauseGate* gate = nullptr);

    // isWhitened: errors are those of L W, of a method with calibration.
    void runStarted(std::size_t matrices, std::size_t finished, const std::string& device,
                    bool isWhitened);
    // status: finished, cancelled, failed.
    void runFinished(const std::string& status, const std::string& message);
    void progress(const Progress& progress);
    void blocksLeftOut(const RemovedRow& row);
    // So long this start measured before the first matrix: trials, groups, costs of errors.
    void preparation(double seconds);
    void warning(const std::string& matrix, const std::string& message);

    // Of all layers of a unit, which are solved as one: the same of each.
    void unitStarted(const LayerUnit& unit, const MatrixOptions& options);
    void iteration(const LayerUnit& unit, const IterationSummary& summary);
    void matrixFinished(const MatrixRecord& record);
    void refinementStep(const RefinementStep& step);
    // The matrices are those of another run, which took so long.
    void solvedBefore(const std::string& run, double seconds);

  private:
    void tell(nlohmann::json event);

    RunWriter& m_writer;
    EventCallback m_listener;
    WorkClock m_clock;
    std::mutex m_mutex;
};

}  // namespace cospadi
