// The paper's hyper-parameters as one word, `preset: paper`, and what counts as them: Table 8
// (resources/published/hyperparams.json), Algorithm 1 and §4.2.1. K-SVD of 60 iterations with 8
// power iterations each, begun with columns of W, dead atoms kept, coefficients of bfloat16
// truncated to 14 bits, eq 11, ρ 2, seed 42, calibration on 256 sequences of 1024 tokens.
//
// The calibration text is not the paper's: RefinedWeb does not ship, C4 and other text of the web
// does (resources/texts/SOURCES.md).
#pragma once

#include <set>
#include <string>

#include "core/store/run_specification.h"

namespace cospadi {

inline constexpr const char* kPaperPreset = "paper";

// The defaults with everything that the preset says. Throws Error naming the presets that there
// are.
RunSpecification presetSpecification(const std::string& preset);

// Whether a run has exactly the paper's settings: all that count are those of the preset but for
// model, layers, CR and the text that calibration reads. The only place that says so.
bool isPaper(const RunSpecification& specification);

// The fields that the preset fixes, nested ones dotted.
const std::set<std::string>& paperFields();

}  // namespace cospadi
