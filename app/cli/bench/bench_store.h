// `cospadi bench store`: taking in, listing, filtering and grouping many runs.
#pragma once

#include "app/cli/session.h"

namespace cospadi::cli {

// 10 000 runs of 200 matrices in a store of its own in the temporary folder; quick: 2000.
int benchStore(const Session& session, bool quick);

}  // namespace cospadi::cli
