// ROCKET (2602.11008): eigenvectors of W_L W_Lᵀ, their coefficients thresholded once, D by least
// squares (solveEigenbasis()); D_a = L⁻¹ D. One step without iterations.
//
// After the published code (mts-ai/ROCKET); docs/methods.md says where it differs, above all in
// that the mask is paid for and that no steps of Adam follow.
#pragma once

#include "core/methods/method.h"

namespace cospadi {

const Method& rocketMethod();

}  // namespace cospadi
