#include "core/allocation/probe_text.h"

namespace cospadi {

namespace {

std::vector<std::int32_t> sampleOf(const Tokenizer& tokenizer, CalibrationOptions text,
                                   std::int64_t sequences, std::int64_t length,
                                   std::uint64_t seedsOn) {
    text.sequences = sequences;
    text.length = length;
    text.heldOut = 0;
    text.seed += seedsOn;
    return sampleSequences(tokenizer, text);
}

}  // namespace

std::vector<std::int32_t> sampleProbeText(const Tokenizer& tokenizer, CalibrationOptions grams) {
    return sampleOf(tokenizer, std::move(grams), kProbeSequences, kProbeLength, 1);
}

std::vector<std::int32_t> sampleWholeText(const Tokenizer& tokenizer, CalibrationOptions grams) {
    return sampleOf(tokenizer, std::move(grams), kWholeSequences, kWholeLength, 2);
}

}  // namespace cospadi
