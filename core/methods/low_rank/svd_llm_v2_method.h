// svd-llm-v2 (arXiv 2503.12340), its truncation by two decompositions: G = U_s S_s U_sᵀ, then the
// truncated SVD of √S_s U_sᵀ W, mapped back with U_s √S_s⁻¹. T = √S_s U_sᵀ has TᵀT = G as L has, so
// that a regular Gram gives the factors of svd-llm but for rounding; a singular one needs no shift,
// since directions that it does not hold are left out (Whitening::spectrum()).
//
// Not here: its sharing of bytes between matrices of a type. The printed algorithm lacks a
// transpose of V_ws and a root of S_s⁻¹; what is here follows its theorem 3.1.
#pragma once

#include "core/methods/low_rank/low_rank_method.h"

namespace cospadi {

const LowRankMethod& svdLlmV2Method();

}  // namespace cospadi
