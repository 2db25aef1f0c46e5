// The text by which it is measured what errors of one matrix cost the predictions: from the source
// that the Grams were made from, other sequences than theirs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/calibration/calibration.h"

namespace cospadi {

inline constexpr std::int64_t kProbeSequences = 4;
inline constexpr std::int64_t kProbeLength = 256;  // tokens

// Errors as sampleSequences().
std::vector<std::int32_t> sampleProbeText(const Tokenizer& tokenizer, CalibrationOptions grams);

// Where every matrix is probed but once, at a quarter of the time: one sequence of them.
std::span<const std::int32_t> firstSequence(std::span<const std::int32_t> probeText);

// Of the whole model at once, by its loss: more, of the text whose perplexity is predicted, as what
// the same errors cost differs between texts by a factor of two, and between articles of one by a
// sixth: many short sequences.
inline constexpr std::int64_t kWholeSequences = 16;
inline constexpr std::int64_t kWholeLength = 256;

}  // namespace cospadi
