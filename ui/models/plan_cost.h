// What a plan will cost: bytes of the layers it compresses, exactly (Method::plan), and
// seconds and memory, roughly (core/run/cost_estimate.h), at the rates that this machine's own
// finished runs showed where there are any (core/sweep/sweep_estimate.h). A value of its own; no
// widgets.
#pragma once

#include <QStringList>
#include <vector>

#include "core/methods/layer_groups.h"
#include "core/methods/method.h"
#include "core/model/layer_info.h"
#include "core/store/run_specification.h"
#include "core/store/source_bytes.h"
#include "core/sweep/sweep_estimate.h"

namespace cospadi::ui {

struct PlanBytes {
    std::vector<StoragePart> parts;  // as the method names them
    double total = 0;
    double dense = 0;
    SourceBytes source;  // of the same layers in the model's file
};

// What everything that a plan makes comes to: what stands beside the Run button.
struct PlanTotals {
    std::size_t layers = 0;
    int runs = 0;
    double bytes = 0;               // of one run; of several the first's
    double dense = 0;               // of the same layers in bf16
    double seconds = 0;             // of all runs
    double calibrationSeconds = 0;  // before them; 0 where no text is read, or its sums are kept

    bool operator==(const PlanTotals&) const = default;
};

// Two lines: how much, and how long. Empty where there is nothing to run.
QStringList totalsWords(const PlanTotals& totals);

class PlanCost {
  public:
    // selected: those that the plan compresses; all: of the model, with its number of parameters.
    void setLayers(std::vector<LayerInfo> selected, std::vector<LayerInfo> all, double parameters);
    void setCalibrationKept(bool isKept) { m_isCalibrationKept = isKept; }
    void setRates(const MeasuredRates& rates) { m_rates = rates; }
    const std::vector<LayerInfo>& selected() const { return m_selected; }

    // Of a layer by itself, or with those that it shares with. Throws Error as unitsOf().
    LayerUnit unitOf(const RunSpecification& plan, const LayerInfo& layer) const;
    PlanBytes bytes(const RunSpecification& plan) const;  // throws Error without a budget
    // Of all that every run does anew: trials, solving, following errors along, refining.
    double seconds(const RunSpecification& plan) const;
    // Of what runs share: sums of the text, as far as they are not kept.
    double calibrationSeconds(const RunSpecification& plan) const;
    double memory(const RunSpecification& plan) const;  // bytes

  private:
    // Operations a second of all cores.
    double rateOf(const RunSpecification& plan) const;
    double passRate() const;  // of passes over the whole model

    std::vector<LayerInfo> m_selected;
    std::vector<LayerInfo> m_all;
    double m_parameters = 0;
    bool m_isCalibrationKept = false;
    MeasuredRates m_rates;
};

}  // namespace cospadi::ui
