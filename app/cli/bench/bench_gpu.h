// `cospadi bench gpu`: the layer sets of whole models on a device, against the targets of
// docs/gpu.md.
#pragma once

#include <string>

#include "app/cli/run_command.h"

namespace cospadi::cli {

// set: of modelSets(); solver: fast or ksvd (60×8). quick: sizes divided by 16, held against
// nothing.
int benchGpu(const Session& session, const DeviceOptions& device, const std::string& set,
             const std::string& solver, bool quick);

}  // namespace cospadi::cli
