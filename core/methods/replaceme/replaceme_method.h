// ReplaceMe (2505.02819): the n consecutive blocks that turn the hidden states least are left out,
// and a linear map T of what the MLP before them gives out makes up for them. With M (N, d) those
// outputs, h_i the hidden states behind that MLP's block and h_n behind the row, a token a row:
//
//   min_T ‖(h_i − M) + M T − h_n‖_F² + α ‖T‖_F²,   T = (MᵀM + αI)⁻¹ Mᵀ (h_n + M − h_i),
//
// and as M = X W, the layer ffn_down of that block becomes W̃ = W T: no parameter is added. Here
// T = I + (MᵀM + αI)⁻¹ (MᵀΔ − αI), Δ = h_n − h_i, which is the same and leaves nothing to rounding
// where Δ = 0. α = ridge · mean diagonal of MᵀM.
//
// Other than in the published code: all tokens count for the distance, which is that of the cosine,
// where it takes the last token's angle of every text (both rise together for one token, not for
// means); behind the last block the hidden states are those before the final norm; and α is a
// share of the diagonal, there a number (0 in both where nothing is said). Several rows, each with
// a T of its own (num_A), and the T that Adam fits to cosines are not here.
#pragma once

#include "core/methods/block_method.h"

namespace cospadi {

const BlockMethod& replaceMeMethod();

}  // namespace cospadi
