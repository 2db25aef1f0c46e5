// The weight that a layer is best replaced by once its inputs come from layers that are compressed
// already (error propagation).
#pragma once

#include <Eigen/Core>

#include "core/calibration/propagated_inputs.h"

namespace cospadi {

// With X' and R' of the compressed model and X and R of the original, W* minimises
//     ‖(R + X W) − (R' + X' W*)‖² + λ ‖W* − W‖²,   λ = shrinkage · mean diagonal of G'
// (R only where the layer writes to the residual stream), that is
//     W* = W + (G' + λI)⁻¹ (X'ᵀ(X − X') W + X'ᵀ(R − R')).
// The correction is a regression on the calibration text; λ keeps it out of directions that the
// text hardly excites. w (d1, d2) → W* (d1, d2). Error where G' + λI is not positive definite.
Eigen::MatrixXf propagationTarget(const Eigen::MatrixXf& w, const LayerInputs& inputs,
                                  double shrinkage);

}  // namespace cospadi
