// `cospadi bench layers`: one made-up layer of every shape that Llama-3.2-1B has, compressed as a
// run does it; time, peak memory, and what the whole model would take.
#pragma once

#include "app/cli/session.h"

namespace cospadi::cli {

// quick: an eighth of the width, to see that it works.
int benchLayers(const Session& session, bool quick);

}  // namespace cospadi::cli
