// A step of a protocol that makes a run of another one with nothing solved again
// (run/derived_run.h): a slice of its layers, or its coefficients in fewer bits. The run it makes
// is stored like any other, so that the same step again finds it.
#pragma once

#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "core/model/layer_info.h"
#include "core/run/derived_run.h"
#include "core/run/run_events.h"

namespace cospadi {

struct DerivedStep {
    std::string slice;        // layers, a regex; empty: fewer bits
    int coefficientBits = 0;  // 0: a slice
    CoefficientRounding rounding = CoefficientRounding::Truncate;

    bool isSlice() const { return !slice.empty(); }
};

// Settings by name (settingsOf()), and the values that each may have.
using WantedSettings = std::map<std::string, std::vector<std::string>>;
bool hasSettings(const RunSpecification& specification, const WantedSettings& wanted);

// What a protocol makes of the compressed runs of its grid.
struct DerivedSteps {
    // Only of runs with these settings; others are measured and tabled as they are.
    WantedSettings of;
    // The slices stand in the place of the runs, which are neither measured nor tabled; with fewer
    // bits the run itself is measured, too.
    std::string slice;
    std::vector<std::int32_t> coefficientBits;
    std::vector<CoefficientRounding> roundings = {CoefficientRounding::Truncate};

    bool areOf(const RunSpecification& run) const;
    std::vector<DerivedStep> all() const;  // bits from the most, then roundings as listed
};

// Throws Error naming the field for a slice beside bits, an expression that is none, bits out of
// range, and an empty list or one with a value twice.
void validate(const DerivedSteps& steps, const std::string& field);

// The run that the step makes of one with this specification, resolved, and id; an empty id stands
// for a run that there is not yet.
RunSpecification derivedSpecification(const DerivedStep& step, const RunSpecification& source,
                                      const std::string& id);

// Why nothing can be made of a run of these layers, those of the run's model; empty where it can.
std::string refusalOf(const DerivedStep& step, const RunSpecification& source,
                      const std::vector<LayerInfo>& layers);

std::string words(const DerivedStep& step);  // "slice ffn_(up|gate)$", "truncated to 12 bits"

// Of the finished run in `directory`; one that was made before is taken. Throws Error as sliceRun()
// and requantizeRun() do.
DerivedRun makeDerived(const DerivedStep& step, const std::filesystem::path& directory,
                       const EventCallback& onEvent, const std::stop_token& stop);

}  // namespace cospadi
