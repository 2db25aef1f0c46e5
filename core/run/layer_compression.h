// One layer of a run: compressed, stored, read back and compared, measured and recorded.
#pragma once

#include <map>
#include <optional>
#include <stop_token>
#include <string>

#include "core/forms/matrix_record.h"
#include "core/run/layer_problem.h"
#include "core/run/run_events.h"
#include "core/run/run_reporter.h"
#include "core/run/run_writer.h"
#include "core/store/run_specification.h"

namespace cospadi {

class LayerCompression {
  public:
    // All must outlive it; gate may be null. ratios: by layer, in the place of the specification's.
    LayerCompression(const RunSpecification& specification,
                     const std::map<std::string, double>& ratios, const RunWriter& writer,
                     RunReporter& report, PauseGate* gate, const std::stop_token& stop)
        : m_specification(specification),
          m_ratios(ratios),
          m_writer(writer),
          m_report(report),
          m_gate(gate),
          m_stop(stop) {}

    // nullopt when cancelled. cores: that the backend has. Errors name the layer. Thread-safe.
    std::optional<MatrixRecord> compress(Backend& backend, int cores, const LayerInfo& layer,
                                         const LayerProblemSource& source) const;

  private:
    MatrixOptions optionsOf(const LayerInfo& layer) const;
    void warnOfMetric(const LayerInfo& layer, const Whitening& whitening) const;
    void warnOfRounding(const LayerInfo& layer, const MatrixOptions& options,
                        const CompressedMatrix& compressed) const;
    void store(const LayerInfo& layer, const StoredWeight& weight, MatrixRecord& record) const;

    const RunSpecification& m_specification;
    const std::map<std::string, double>& m_ratios;
    const RunWriter& m_writer;
    RunReporter& m_report;
    PauseGate* m_gate;
    const std::stop_token& m_stop;
};

}  // namespace cospadi
