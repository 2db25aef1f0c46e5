// The phase of a run that measures its text: Grams of the layers' inputs, and where the
// specification asks for it sums of the gradients of their outputs. Neither where nothing needs it.
#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "core/base/progress.h"
#include "core/calibration/calibration.h"
#include "core/calibration/output_grams.h"
#include "core/model/model.h"
#include "core/run/run_backends.h"
#include "core/run/run_events.h"
#include "core/store/run_specification.h"

namespace cospadi {

// Whether runs of this specification start from Gram matrices of the whole model.
bool needsGrams(const RunSpecification& specification);

// What specifications have in common whose Grams are the same, layer by layer: the model, the text
// and what is held out of it.
std::string sharedCalibrationKey(const RunSpecification& specification);

struct CalibrationMeasurements {
    std::optional<GramSet> grams;
    std::optional<OutputGrams> outputGrams;
    double seconds = 0;

    const GramSet* gramsOrNull() const { return grams ? &*grams : nullptr; }
    const OutputGrams* outputGramsOrNull() const { return outputGrams ? &*outputGrams : nullptr; }
};

// threads: 0 = all cores. nullopt when cancelled. Errors as calibrate() and measureOutputGrams().
std::optional<CalibrationMeasurements> measureText(const RunSpecification& specification,
                                                   const Model& model, RunBackends& backends,
                                                   int threads, PauseGate* gate,
                                                   const ProgressCallback& progress,
                                                   const std::stop_token& stop);

}  // namespace cospadi
