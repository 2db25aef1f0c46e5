#include "core/run/refinement_text.h"

#include <algorithm>

#include "core/run/resolve_specification.h"

namespace cospadi {

namespace {

CalibrationOptions ownCalibration(const RunSpecification& s) {
    return calibrationOptionsOf(isCalibrated(s) ? s : RunSpecification());
}

}  // namespace

std::filesystem::path refinementFile(const RunSpecification& s) { return ownCalibration(s).text; }

RefinementText refinementText(const RunSpecification& s, const Tokenizer& tokenizer) {
    CalibrationOptions drawn = ownCalibration(s);
    const std::int64_t calibrated = drawn.sequences;
    const std::int64_t heldOut = drawn.heldOut;
    drawn.heldOut = 0;
    drawn.length = refinementLength(s);
    drawn.sequences = s.refine + heldOut;
    RefinementText text;
    text.length = drawn.length;
    text.heldOut = heldOutSequences(kRefinementHeldOut, s.refine);
    text.ids = sampleSequences(tokenizer, drawn);
    const auto sequence = [&](std::int64_t number) {
        return text.ids.begin() + std::min(number, drawn.sequences) * text.length;
    };
    text.ids.erase(sequence(calibrated - heldOut), sequence(calibrated));
    text.ids.resize(static_cast<std::size_t>(s.refine * text.length));
    return text;
}

}  // namespace cospadi
