// SVD-LLM V2's rule (arXiv 2503.12340): among the matrices of one kind (all attn_q, …), a matrix
// whose truncated SVD would lose more keeps more.
//
//   L_i   = ‖the singular values of W_L beyond the rank that low rank has at γ‖_F
//   w_i   = 1 / ln L_i
//   CR_i  = n γ w_i / Σ w        n matrices of the kind
//
// ln L_i ≤ 0 has no meaning here, and L grows with the calibration's tokens, so that only their
// ratios tell: where the least loss of a kind is below e, all of it are scaled by one factor that
// makes it e. No weight is then above 1 and the order stays.
//
// What is ours: ratios are cut to what is storable and the rest of the kind makes up for it, t w_i
// with one t for all; matrices of a kind that differ in size weigh by their entries, so that the
// kind's bytes stay those of γ. Without calibration W takes the place of W_L.
#pragma once

#include <vector>

#include "core/methods/matrix_options.h"
#include "core/model/layer_info.h"

namespace cospadi {

class AllocationRule;
const AllocationRule& svdLlmV2Rule();

// 1 / ln L of the losses of one kind, scaled as above; all 1 where nothing is lost.
std::vector<double> svdLlmV2Weights(const std::vector<double>& losses);

// Of the layers of one kind, with these weights (> 0). options.cr is γ.
std::vector<double> svdLlmV2Ratios(const MatrixOptions& options,
                                   const std::vector<LayerInfo>& layers,
                                   const std::vector<double>& weights);

}  // namespace cospadi
