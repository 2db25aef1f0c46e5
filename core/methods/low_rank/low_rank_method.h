// svd and svd-llm: W ≈ B C by truncation, of W or of W_L with B = L⁻¹ U_r, C = U_rᵀ W_L.
#pragma once

#include <vector>

#include "core/methods/method.h"

namespace cospadi {

const Method& svdMethod();
const Method& svdLlmMethod();

LowRankBudget lowRankBudgetOf(const MatrixOptions& options, std::int64_t d1, std::int64_t d2);

// The errors that compressMatrix() reports for a low-rank method under these options, by one
// decomposition of the largest rank. whitening: as there; with it the method is svd-llm, else svd,
// whatever the options say.
std::vector<double> lowRankErrors(Backend& backend, const Eigen::MatrixXf& w,
                                  const Whitening* whitening,
                                  const std::vector<MatrixOptions>& options);

}  // namespace cospadi
