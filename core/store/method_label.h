// How tables and lists name what a run does: its method, and every setting that is not the usual
// one.
#pragma once

#include <set>
#include <string>

#include "core/store/run_specification.h"

namespace cospadi {

// "cospadi (fast)", "cospadi (ksvd 60x8)", "cospadi (mod 60, packed, init svd)": the method, its
// solver, and every setting that is not the usual one, but for those that stand elsewhere in a
// table, named in `shown`. "cospadi (paper)" where the settings are exactly the paper's
// (paper_preset.h) and the table shows none of them elsewhere.
std::string methodLabel(const RunSpecification& specification,
                        const std::set<std::string>& shown = {});
// The fields that a label tells apart.
std::set<std::string> labelledSettings();

}  // namespace cospadi
