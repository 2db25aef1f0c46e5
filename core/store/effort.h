// How much time a run may take for its quality, in one word: what `--effort` and `effort: best` of
// a specification mean. A word sets those of its settings that the method has; a setting beside it
// replaces its value. docs/methods.md has what each costs and brings.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "core/store/run_specification.h"

namespace cospadi {

enum class Effort {
    Quick,  // a look: a quarter of the calibration text, ten iterations
    Usual,  // what is set where nothing is said
    Best,   // four times the calibration text, and layers of neighbouring blocks share dictionaries
            // by what their errors cost; where they cannot, ratios and ρ matrix by matrix, in 60
            // iterations
};

const char* name(Effort effort);                 // quick, usual, best
Effort effortFromName(const std::string& name);  // throws Error listing the names

// Sets what the effort means for the specification as it is, but for settings that are `given`, by
// their names; nothing else changes. To be called once all but the calibration has been read: what
// a method can do depends on its other settings.
void applyEffort(Effort effort, RunSpecification& specification,
                 const std::set<std::string>& given = {});

// The specification at this effort: what any of the words sets is as usual first.
RunSpecification withEffort(RunSpecification specification, Effort effort);
// Of which effort its settings are; nullopt for settings of none.
std::optional<Effort> effortOf(const RunSpecification& specification);

}  // namespace cospadi
