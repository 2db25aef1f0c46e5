// fwsvd (Hsu et al., ICLR 2022, arXiv 2207.00112): the truncated SVD of diag(√f) W, mapped back
// with diag(√f)⁻¹, where f_i = Σ_j Î_ij sums the empirical Fisher information of the weights of
// input i (core/calibration/weight_gradients.h). Weighing every weight by its own Î_ij would have
// no closed form; all of a row share one weight. A factor common to all f_i changes nothing.
//
// Rows that no gradient has reached have a small weight in the place of none, so that diag(√f) has
// an inverse: kLeastRowWeight of the largest. Layers that share are one wide layer, whose rows'
// sums are those of all its columns.
//
// Not here: fine-tuning, before and after, and a loss other than that of predicting the text.
#pragma once

#include "core/methods/low_rank/low_rank_method.h"

namespace cospadi {

inline constexpr double kLeastRowWeight = 1e-6;

const LowRankMethod& fwsvdMethod();

}  // namespace cospadi
