// `cospadi bench explore`: how soon the curves of the Explore page are there, and how far they are
// from what runs of the same settings store.
#pragma once

#include <string>

#include "app/cli/session.h"

namespace cospadi::cli {

// blk.10.ffn_up of the model, whitened; with `quick` plain, which needs no calibration.
int benchExplore(const Session& session, const std::string& model, bool quick);

}  // namespace cospadi::cli
