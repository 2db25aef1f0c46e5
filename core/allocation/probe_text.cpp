#include "core/allocation/probe_text.h"

#include <algorithm>

namespace cospadi {

std::vector<std::int32_t> sampleProbeText(const Tokenizer& tokenizer, CalibrationOptions grams) {
    grams.sequences = kProbeSequences;
    grams.length = kProbeLength;
    grams.heldOut = 0;
    grams.seed += 1;
    return sampleSequences(tokenizer, grams);
}

std::span<const std::int32_t> firstSequence(std::span<const std::int32_t> probeText) {
    return probeText.first(std::min(probeText.size(), static_cast<std::size_t>(kProbeLength)));
}

}  // namespace cospadi
