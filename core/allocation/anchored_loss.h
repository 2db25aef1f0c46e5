// What the summed costs of single matrices come to in the whole model, by what was measured of the
// whole at once.
#pragma once

#include <vector>

#include "core/allocation/model_curves.h"

namespace cospadi {

// Nats a token by which the loss rises at a sum Σ of `divergence`: F(Σ), ln F linear in ln Σ
// between the anchors and of slope 1 beyond them; Σ itself without any. anchors: over growing sums.
double anchoredLoss(const std::vector<CurveAnchor>& anchors, double divergence);

}  // namespace cospadi
