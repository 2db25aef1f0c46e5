// How long the evaluations of a protocol take on a model: what a sweep measures, and studies of the
// throughput.
#pragma once

#include <string>
#include <vector>

#include "core/reproduce/reproduction.h"
#include "core/store/run_row.h"
#include "core/sweep/measuring_estimate.h"

namespace cospadi {

class EvaluationEstimate {
  public:
    // tasks: those of the protocol, which outlive this, or null. parameters: of the model. Throws
    // Error for a text that is not there.
    EvaluationEstimate(const Protocol& protocol, const PlannedTasks* tasks,
                       const MeasuredRates& rates, const std::string& modelSha256,
                       double parameters, int cores);

    // As of MeasuringEstimate; row: null where there is no run yet.
    double secondsLeft(const RunRow* row) const;
    std::vector<std::string> untimed(const RunRow* row) const;
    // Of a study of the throughput the time is an assumption.
    bool isMeasured() const { return m_measuring.isMeasured() && !m_protocol.throughput; }

  private:
    double throughputSecondsLeft(const RunRow* row) const;

    const Protocol& m_protocol;
    MeasuringEstimate m_measuring;
    double m_parameters = 0;
};

}  // namespace cospadi
