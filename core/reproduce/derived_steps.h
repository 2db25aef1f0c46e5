// What a protocol makes of the runs of its grid with nothing solved again (run/derived_step.h).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/run/derived_step.h"

namespace cospadi {

// Settings by name (settingsOf()), and the values that each may have.
using WantedSettings = std::map<std::string, std::vector<std::string>>;
bool hasSettings(const RunSpecification& specification, const WantedSettings& wanted);

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

}  // namespace cospadi
