// `cospadi sweep status FILE`: how far a sweep file is (docs/cluster.md).
#pragma once

#include <filesystem>

#include "app/cli/session.h"

namespace cospadi::cli {

// Prints what is done, running, waiting, failed and lost, with the reasons and the line that starts
// again what is missing; takes finished runs into the store.
int sweepStatus(const Session& session, const std::filesystem::path& file);

}  // namespace cospadi::cli
