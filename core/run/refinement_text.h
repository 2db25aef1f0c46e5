// The text that a run's factors are refined by: of its calibration's own draw, or of the shipped
// one where the method has none.
#pragma once

#include "core/refine/refinement.h"
#include "core/store/run_specification.h"
#include "core/tokenizer/tokenizer.h"

namespace cospadi {

// The draw begins with the sequences that calibration sums; what that holds out is not in it.
// Throws Error as sampleSequences() does.
RefinementText refinementText(const RunSpecification& specification, const Tokenizer& tokenizer);

// The file that it is drawn from.
std::filesystem::path refinementFile(const RunSpecification& specification);

}  // namespace cospadi
