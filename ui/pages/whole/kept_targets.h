// What the page Whole was to come to, model by model, over the window's end: the ratio or the
// bytes, pins, limits and what is left out; method, storage and ρ where they were chosen there.
#pragma once

#include <QString>
#include <map>
#include <optional>
#include <string>

#include "core/allocation/model_prediction.h"
#include "core/store/run_specification.h"

namespace cospadi::ui {

struct WholeTarget {
    PredictionTarget target;
    std::string method;   // empty: the plan's
    std::string storage;  // likewise
    std::optional<double> rho;

    // The fields of the page, given those of the plan.
    RunSpecification fields(const RunSpecification& plan) const;
};

class KeptTargets {
  public:
    void keep(const std::string& model, const WholeTarget& target) { m_targets[model] = target; }
    std::optional<WholeTarget> of(const std::string& model) const;

    QString asText() const;
    void restore(const QString& text);  // what cannot be read is passed over

  private:
    std::map<std::string, WholeTarget> m_targets;
};

}  // namespace cospadi::ui
