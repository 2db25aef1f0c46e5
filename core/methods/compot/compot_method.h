// COMPOT (2602.15200): an orthonormal dictionary D of W_L, W_L ≈ D S, D_a = L⁻¹ D. Codes are exact
// by thresholding, D by an orthogonal Procrustes problem (solveProcrustes()).
//
// As far as it is known second hand; what may differ from the published code: eq 11 with its mask
// paid for, no more atoms than the shorter side of the layer has entries (the budget's bytes then
// go into more non-zeros). The paper's allocation is a rule of its own
// (core/allocation/compot_rule.h), which any method may have.
#pragma once

#include "core/methods/method.h"

namespace cospadi {

const Method& compotMethod();

}  // namespace cospadi
