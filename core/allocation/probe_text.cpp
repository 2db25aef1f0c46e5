#include "core/allocation/probe_text.h"

namespace cospadi {

std::vector<std::int32_t> sampleProbeText(const Tokenizer& tokenizer, CalibrationOptions grams) {
    grams.sequences = kProbeSequences;
    grams.length = kProbeLength;
    grams.heldOut = 0;
    grams.seed += 1;
    return sampleSequences(tokenizer, grams);
}

}  // namespace cospadi
