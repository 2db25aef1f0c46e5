// A step that makes a run of another one with nothing solved again (derived_run.h): a slice of its
// layers, or its coefficients in fewer bits. The run it makes is stored like any other, so that the
// same step again finds it.
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "core/model/layer_info.h"
#include "core/run/derived_run.h"
#include "core/run/run_events.h"
#include "core/store/run_specification.h"

namespace cospadi {

struct DerivedStep {
    std::string slice;        // layers, a regex; empty: fewer bits
    int coefficientBits = 0;  // 0: a slice
    CoefficientRounding rounding = CoefficientRounding::Truncate;

    bool isSlice() const { return !slice.empty(); }
};

// The run that the step makes of one with this specification, resolved, and id; an empty id stands
// for a run that there is not yet.
RunSpecification derivedSpecification(const DerivedStep& step, const RunSpecification& source,
                                      const std::string& id);

// The step that made a derived run of one with the specification `source`.
DerivedStep stepBetween(const RunSpecification& source, const RunSpecification& derived);

// Why nothing can be made of a run of these layers, those of the run's model; empty where it can.
std::string refusalOf(const DerivedStep& step, const RunSpecification& source,
                      const std::vector<LayerInfo>& layers);

std::string words(const DerivedStep& step);  // "slice ffn_(up|gate)$", "truncated to 12 bits"

// The words after `cospadi` that do it to a run of this name.
std::vector<std::string> commandOf(const DerivedStep& step, const std::string& run);

// Of the finished run in `directory`; one that was made before is taken. Throws Error as sliceRun()
// and requantizeRun() do.
DerivedRun makeDerived(const DerivedStep& step, const std::filesystem::path& directory,
                       const EventCallback& onEvent, const std::stop_token& stop);

}  // namespace cospadi
