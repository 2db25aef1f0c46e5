// The text by which it is measured what errors of one matrix cost the predictions: from the source
// that the Grams were made from, other sequences than theirs.
#pragma once

#include <cstdint>
#include <vector>

#include "core/calibration/calibration.h"

namespace cospadi {

inline constexpr std::int64_t kProbeSequences = 4;
inline constexpr std::int64_t kProbeLength = 256;  // tokens

// Errors as sampleSequences().
std::vector<std::int32_t> sampleProbeText(const Tokenizer& tokenizer, CalibrationOptions grams);

// Of the whole model at once, by its loss: more, of the text whose perplexity is predicted, as what
// the same errors cost differs between texts by a factor of two, and between articles of one by a
// sixth: many short sequences.
inline constexpr std::int64_t kWholeSequences = 16;
inline constexpr std::int64_t kWholeLength = 256;

}  // namespace cospadi
