// How long the measures of a sweep take on a model, from the tokens that they read. Of what lm-eval
// asks the prompts are known to it alone, and so is no time.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/lm_eval/planned_tasks.h"
#include "core/run/evaluate_run.h"
#include "core/sweep/sweep_estimate.h"

namespace cospadi {

class MeasuringEstimate {
  public:
    // text: empty where no perplexity is measured. tasks: outlive this; null for none. parameters:
    // of the model. Throws Error for a text that is not there.
    MeasuringEstimate(const std::filesystem::path& text, const PerplexityOptions& options,
                      const PlannedTasks* tasks, const MeasuredRates& rates,
                      const std::string& modelSha256, double parameters, int cores);

    // Seconds of what the run in `directory` has no answer to yet: the same text, and tasks of the
    // same version, shots, items and data. Empty, or not there: a run that is yet to be made.
    double secondsLeft(const std::filesystem::path& directory) const;
    // Tasks that it has no answer to yet and that lm-eval asks: their time is not among these.
    std::vector<std::string> untimed(const std::filesystem::path& directory) const;
    // Both of what leftToMeasure() has found: not looked up again but for the tasks of a run that
    // lacks some.
    double secondsLeft(const std::filesystem::path& directory,
                       const std::vector<std::string>& left) const;
    std::vector<std::string> untimed(const std::vector<std::string>& left) const;

    double tokensPerSecond() const { return m_tokensPerSecond; }
    bool isMeasured() const { return m_measured; }

  private:
    double seconds(bool isTextLeft, bool areTasksLeft,
                   const std::filesystem::path& directory) const;

    const PlannedTasks* m_tasks;
    EvaluationRequest m_text;  // without the run
    double m_textTokens = 0;
    double m_tokensPerSecond = 0;
    bool m_measured = false;
};

}  // namespace cospadi
