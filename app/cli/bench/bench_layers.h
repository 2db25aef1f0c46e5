// `cospadi bench layers`: one made-up layer of every shape that a model has, compressed as a run
// does it; time, peak memory, and what the whole model would take.
#pragma once

#include <string>

#include "app/cli/session.h"

namespace cospadi::cli {

// quick: an eighth of the width, to see that it works.
// set: as modelSet() takes it.
int benchLayers(const Session& session, const std::string& set, bool quick);

}  // namespace cospadi::cli
