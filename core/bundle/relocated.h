// Specifications of runs of another machine, where models and texts lie elsewhere.
#pragma once

#include <filesystem>
#include <string>

#include "core/store/run_row.h"
#include "core/store/run_specification.h"

namespace cospadi {

// The file itself where it is that one, else a text that ships and has this hash. An unknown hash
// fits what is at the path. Throws Error naming the text where neither is there.
std::filesystem::path textOfHash(const std::filesystem::path& text, const std::string& sha256);

// What solves the run here. model: in the place of the run's; empty: that one, or the default model
// where it has the same hash. Precondition: it was not made of another run. Throws Error for a run
// of another program, a model or text that is not here, one of another hash, and a model without
// the run's layers.
RunSpecification relocated(const RunRow& run, const std::string& model);

}  // namespace cospadi
