// `cospadi refine`: a run of a finished one's settings that is refined at its end
// (refinement_phase.h), begun with that one's matrices instead of solving them again.
#pragma once

#include <filesystem>
#include <stop_token>

#include "core/run/compression_run.h"
#include "core/run/derived_run.h"

namespace cospadi {

struct RefineSettings {
    int sequences = 128;
    double rate = RefinementOptions().learningRate;
};

// What a finished run is that is refined so; nothing is checked against its files.
RunSpecification refinedSpecification(const RunSpecification& source, const RefineSettings& how);

// Throws Error, before anything is written, for what openFinishedRun() refuses, settings out of
// range, a form without factors, a run that was refined before, a slice or one whose coefficients
// were shortened, and a model that is gone or another one; then as executeRun() does. Started again
// it goes on with the step after the last that was saved.
DerivedRun refineRun(const std::filesystem::path& directory, const RefineSettings& how,
                     RunExecution execution, const std::stop_token& stop = {});

}  // namespace cospadi
