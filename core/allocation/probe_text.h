// The text by which it is measured what errors cost the predictions: from the source that the
// Grams were made from, other sequences than theirs.
#pragma once

#include <cstdint>
#include <vector>

#include "core/calibration/calibration.h"

namespace cospadi {

inline constexpr std::int64_t kProbeSequences = 4;
inline constexpr std::int64_t kProbeLength = 256;  // tokens

// Of one matrix after the other: few tokens. Errors as sampleSequences().
std::vector<std::int32_t> sampleProbeText(const Tokenizer& tokenizer, CalibrationOptions grams);

inline constexpr std::int64_t kWholeSequences = 16;
inline constexpr std::int64_t kWholeLength = 256;

// Of the whole model at once, by its loss: many.
std::vector<std::int32_t> sampleWholeText(const Tokenizer& tokenizer, CalibrationOptions grams);

}  // namespace cospadi
