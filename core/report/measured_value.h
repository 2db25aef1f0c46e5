// What runs came to, by name and by one measure: a metric (run_metrics.h), a task's metric of
// lm-eval, or the mean of the accuracies that most runs have in common (mean_accuracy.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/report/mean_accuracy.h"
#include "core/report/run_metrics.h"

namespace cospadi {

inline constexpr const char* kMeanAccuracy = "mean-accuracy";

// The metrics, those of lm-eval that runs have, and mean-accuracy where they have accuracies.
std::vector<std::string> measuredNames(const std::vector<RunRow>& runs);
// By its name alone: no setting is called so.
bool isMeasured(const std::string& name);

class MeasuredValue {
  public:
    // Throws Error for a name that is none, naming those there are.
    MeasuredValue(const std::vector<RunRow>& runs, const std::string& name);

    double of(const RunRow& run) const;             // NaN where it has none by this measure
    double standardError(const RunRow& run) const;  // over the items of a task; 0: unknown
    BestValue best() const { return m_best; }
    // How it was measured, and how many runs have it by another measure; nothing where there is
    // nothing to say.
    std::vector<Phrase> notes() const;

  private:
    std::string m_name;
    MeanAccuracy m_accuracy;
    Measure m_measure;
    BestValue m_best = BestValue::Highest;
    std::int64_t m_otherwise = 0;
};

}  // namespace cospadi
