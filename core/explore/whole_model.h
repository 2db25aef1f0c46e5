// The curves of a whole model as someone looks at it: what is known of it at once, then all of it,
// measured in the background and told as it comes in (core/allocation/curve_measurement.h). Where
// the model was not calibrated yet with these settings, that comes first.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>

#include "core/allocation/model_curves.h"
#include "core/base/progress.h"
#include "core/store/run_specification.h"

namespace cospadi {

// What perplexity is predicted of: passages from all over WikiText-2's test part. Of its first
// tokens it would be that of a few articles, and what errors cost differs between these by a sixth.
inline constexpr const char* kPredictedText = "wikitext2-spread";
inline constexpr std::int64_t kPredictedContext = 512;

struct WholeModelCallbacks {
    // An estimate that is better than the one before; the last one is complete.
    std::function<void(const ModelCurves&)> curves;
    ProgressCallback progress;  // stages "model", "calibration", "perplexity", "curves"
};

// The settings that curves belong to: of one ρ, each matrix by itself. Throws Error where the
// method has no compression ratio, or ρ is to be chosen. Of inputs alone: curves know no metric of
// the outputs.
MatrixOptions curveOptions(const RunSpecification& specification);

// The layers of the specification. nullopt when cancelled; what was measured by then is kept.
// threads: 0 = all. Throws Error for a specification that no run could have, or as calibrate() and
// compressMatrix() do.
std::optional<ModelCurves> measureWholeModel(const RunSpecification& specification, int threads,
                                             const WholeModelCallbacks& callbacks = {},
                                             const std::stop_token& stop = {});

}  // namespace cospadi
