// `cospadi bench solver`: the solver fast against ksvd 60×8 on real whitened matrices, and our
// steps of ksvd against those of other programs.
#pragma once

#include <string>

#include "app/cli/session.h"

namespace cospadi::cli {

// quick: blk.10.ffn_up at CR 0.2 alone. peerPython may be empty.
int benchSolver(const Session& session, const std::string& model, const std::string& peerPython,
                bool quick);

}  // namespace cospadi::cli
