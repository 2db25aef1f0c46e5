// One unit of a run, a layer or several that share: compressed, stored, read back and compared,
// measured and recorded.
#pragma once

#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/forms/matrix_record.h"
#include "core/run/layer_problem.h"
#include "core/run/matrix_folder.h"
#include "core/run/run_events.h"
#include "core/run/run_reporter.h"
#include "core/run/stored_allocation.h"
#include "core/store/run_specification.h"

namespace cospadi {

// What the unit is solved with. allocation: by unit, in the place of what the specification says
// for all.
MatrixOptions optionsOf(const RunSpecification& specification,
                        const std::map<std::string, AllocatedLayer>& allocation,
                        const LayerUnit& unit);

class LayerCompression {
  public:
    // Told which share of the unit's work is done: none as it begins, and after every iteration.
    using Reached = std::function<void(const LayerUnit& unit, double share)>;

    // All must outlive it; gate may be null. allocation: as optionsOf() has it.
    LayerCompression(const RunSpecification& specification,
                     const std::map<std::string, AllocatedLayer>& allocation,
                     const MatrixFolder& matrices, RunReporter& report, Reached reached,
                     PauseGate* gate, const std::stop_token& stop)
        : m_specification(specification),
          m_allocation(allocation),
          m_matrices(matrices),
          m_report(report),
          m_reached(std::move(reached)),
          m_gate(gate),
          m_stop(stop) {}

    // A record a layer; none when cancelled. cores: that the backend has. Errors name the unit.
    // Thread-safe.
    std::vector<MatrixRecord> compress(Backend& backend, int cores, const LayerUnit& unit,
                                       const UnitProblemSource& source) const;

  private:
    CompressedMatrix solve(Backend& backend, const LayerUnit& unit, const UnitProblem& problem,
                           const MatrixOptions& options, double& waited) const;
    void warnOfMetric(const std::string& layer, const Whitening& whitening) const;
    void warnOfRounding(const std::string& layer, const MatrixOptions& options,
                        const CompressedMatrix& compressed) const;
    MatrixRecord measured(Backend& backend, const LayerInfo& layer, const LayerProblem& problem,
                          const StoredWeight& weight, const CompressedMatrix& compressed,
                          bool isShared) const;

    const RunSpecification& m_specification;
    const std::map<std::string, AllocatedLayer>& m_allocation;
    const MatrixFolder& m_matrices;
    RunReporter& m_report;
    Reached m_reached;
    PauseGate* m_gate;
    const std::stop_token& m_stop;
};

}  // namespace cospadi
