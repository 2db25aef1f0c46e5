// How long the evaluations of a protocol take on a model, from the tokens that they read. Of what
// lm-eval asks the prompts are known to it alone, and so is no time.
#pragma once

#include <string>
#include <vector>

#include "core/lm_eval/planned_tasks.h"
#include "core/reproduce/reproduction.h"
#include "core/run/evaluate_run.h"
#include "core/store/run_row.h"

namespace cospadi {

class EvaluationEstimate {
  public:
    // tasks: those of the protocol, which outlive this, or null. rows: all that the store has;
    // perplexities of this model, or of runs of it, tell the rate. parameters: of the model. Throws
    // Error for a text that is not there.
    EvaluationEstimate(const Protocol& protocol, const PlannedTasks* tasks,
                       const std::vector<RunRow>& rows, const std::string& modelSha256,
                       double parameters, int cores);

    // Seconds of what a run has no answer to yet: the same text, and tasks of the same version,
    // shots, items and data. row: null where there is no run yet.
    double secondsLeft(const RunRow* row) const;
    // Tasks that it has no answer to yet and that lm-eval asks: their time is not among these.
    std::vector<std::string> untimed(const RunRow* row) const;
    // Of a study of the throughput the time is an assumption.
    bool isMeasured() const { return m_measured && !m_protocol.throughput; }

  private:
    double throughputSecondsLeft(const RunRow* row) const;

    const Protocol& m_protocol;
    const PlannedTasks* m_tasks;
    double m_tokensPerSecond = 0;
    bool m_measured = false;
    EvaluationRequest m_text;  // without the run
    double m_textTokens = 0;
    double m_parameters = 0;
};

}  // namespace cospadi
