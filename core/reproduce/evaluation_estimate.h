// How long the evaluations of a protocol take on a model, from the tokens that they read.
#pragma once

#include <vector>

#include "core/lm_eval/task_evaluation.h"
#include "core/reproduce/reproduction.h"
#include "core/run/evaluate_run.h"
#include "core/store/run_row.h"

namespace cospadi {

class EvaluationEstimate {
  public:
    // rows: all that the store has; perplexities of this model, or of runs of it, tell the rate.
    // parameters: of the model. Throws Error for tasks without data, and for a text that is not
    // there.
    EvaluationEstimate(const Protocol& protocol, const std::vector<RunRow>& rows,
                       const std::string& modelSha256, double parameters, int cores);

    // Seconds of what a run has no answer to yet: the same text, and tasks of the same version,
    // shots, items and data. row: null where there is no run yet.
    double secondsLeft(const RunRow* row) const;
    // Of a study of the throughput the time is an assumption.
    bool isMeasured() const { return m_measured && !m_protocol.throughput; }

  private:
    struct AskedTask {
        TaskEvaluation question;
        double tokens = 0;
    };

    double throughputSecondsLeft(const RunRow* row) const;

    const Protocol& m_protocol;
    double m_tokensPerSecond = 0;
    bool m_measured = false;
    EvaluationRequest m_text;  // without the run
    double m_textTokens = 0;
    std::vector<AskedTask> m_tasks;
    double m_parameters = 0;
};

}  // namespace cospadi
