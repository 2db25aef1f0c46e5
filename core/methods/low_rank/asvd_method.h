// asvd (arXiv 2312.05821): the truncated SVD of diag(s) W, mapped back with diag(s)⁻¹; s grows with
// the size of a layer's inputs. Published s_i = (mean |x_i|)^α; here the root mean square is in the
// place of the mean magnitude, s_i = G_ii^(α/2), since a Gram matrix holds squares. A factor common
// to all s_i changes nothing.
//
// Not here: its search for the rank of every layer, in the place of which is `allocation`.
#pragma once

#include "core/methods/low_rank/low_rank_method.h"

namespace cospadi {

const LowRankMethod& asvdMethod();

}  // namespace cospadi
