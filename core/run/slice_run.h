// Some layers of a finished run as a run of their own: the paper's selective compression, which
// takes the up and gate projections of a compressed model and leaves all else dense (appendix on
// deployment).
#pragma once

#include <filesystem>
#include <string>

#include "core/run/derived_run.h"
#include "core/run/run_events.h"

namespace cospadi {

// What the slice of a finished run is; nothing is checked against its files.
// source: its specification, id: its own.
RunSpecification sliceSpecification(const RunSpecification& source, const std::string& id,
                                    const std::string& layers);

// Layers of the run in `directory` whose names the regular expression finds. Their files are hard
// links, or copies where the file system has none; records and bytes are those of the run; its
// evaluations are not, as they are of another model. Times are the layers' part of the run's.
//
// Throws Error for what openFinishedRun() refuses, and naming `layers` where the expression is
// none, finds nothing, finds all that the run has, or takes some of the layers that share a factor
// and leaves others.
DerivedRun sliceRun(const std::filesystem::path& directory, const std::string& layers,
                    const EventCallback& onEvent = {});

}  // namespace cospadi
