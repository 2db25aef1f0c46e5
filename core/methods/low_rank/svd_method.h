// svd: W ≈ B C, the truncated singular value decomposition of W itself (Eckart and Young 1936). The
// baseline without data.
#pragma once

#include "core/methods/low_rank/low_rank_method.h"

namespace cospadi {

const LowRankMethod& svdMethod();

}  // namespace cospadi
