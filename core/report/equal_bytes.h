// Which runs of an ablation over ρ take the same bytes at every ρ. Under eq 11 a ρ that is no whole
// number makes files smaller than CR says; with a fixed width of coefficients they are equal, and
// the errors can be compared.
#pragma once

#include <cstdint>
#include <vector>

#include "core/store/run_row.h"

namespace cospadi {

// Leaves out runs whose bytes, as measured, change with ρ where there are others of the same
// settings, but for how bytes are counted, that keep theirs over at least two ρ. Returns how many.
std::int64_t preferEqualBytes(std::vector<RunRow>& runs);

}  // namespace cospadi
