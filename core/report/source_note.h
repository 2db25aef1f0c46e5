// What a table of bytes must say of models that came quantised.
#pragma once

#include <string>
#include <vector>

#include "core/store/run_row.h"

namespace cospadi {

// Notes for below the table, one a model and choice of layers whose own file is smaller than the
// bf16 weights that ratios count against; none where every source is as large.
std::vector<std::string> sourceNotes(const std::vector<RunRow>& runs);

}  // namespace cospadi
