// The factors of a finished run refined by the model's predictions, as a run of its own
// (core/refine): supports, ranks and bytes stay as they were.
//
// While it goes on its directory holds refinement.safetensors, what a later start goes on from, to
// the same bits; refinement.json tells the divergence of every step and on held-out text
// (docs/formats.md).
#pragma once

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>

#include "core/refine/refinement_options.h"
#include "core/run/derived_run.h"
#include "core/run/run_events.h"

namespace cospadi {

struct RefineExecution {
    // Errors by layer are measured in the Grams that the run was solved with. Where these are not
    // cached: compute them again, else its errors stay unknown, and a warning says so.
    bool calibrate = false;
    int threads = 0;           // 0 = all cores
    double saveSeconds = 180;  // between two files of state
};

// What was gained: nats a token on the held-out sequences.
struct RefinementGain {
    double before = 0;
    double after = 0;  // of the weights as they are stored
};

// What a finished run that is refined is; nothing is checked against its files. source: its
// specification, id: its own.
RunSpecification refinedSpecification(const RunSpecification& source, const std::string& id,
                                      const RefinementOptions& how);

// Throws Error, before anything is written, for what openFinishedRun() refuses, options out of
// range, a form without factors, a run that was refined or whose coefficients were shortened
// before, and a model that is gone or another one.
void requireRefinable(const FinishedRun& source, const RefinementOptions& how);

// Errors as above, of the text and of the disk. Where the held-out divergence of the stored
// weights did not fall nothing is kept as a result, and the Error says what to change. Started
// again it goes on with the step after the last that was saved.
DerivedRun refineRun(const std::filesystem::path& directory, const RefinementOptions& how,
                     const RefineExecution& execution, const EventCallback& onEvent = {},
                     const std::stop_token& stop = {});

// Of a finished run; throws Error where it has none.
RefinementGain refinementGainIn(const std::filesystem::path& directory);

}  // namespace cospadi
