// `cospadi bench growth`: how the solvers' time grows with d, with k and with the number of
// matrices.
#pragma once

#include <string>

#include "app/cli/session.h"

namespace cospadi::cli {

// csv: a file for the points, or empty. quick: smaller sizes.
int benchGrowth(const Session& session, const std::string& csv, bool quick);

}  // namespace cospadi::cli
