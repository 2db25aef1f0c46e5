// svd-llm (Wang et al., ICLR 2025): the truncated SVD of W_L = L W with LᵀL = G, mapped back with
// L⁻¹: the best of its rank for the outputs on the calibration text.
#pragma once

#include "core/methods/low_rank/low_rank_method.h"

namespace cospadi {

const LowRankMethod& svdLlmMethod();

}  // namespace cospadi
