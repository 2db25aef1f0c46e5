// GPTQ's solver: inputs are rounded one after the other, in all outputs at once, and the error of
// each is made up for by those that are still to come, as far as the metric A lets them.
//
// With U upper triangular, UᵀU = A⁻¹, and the inputs in order:
//     e = (w_i − ŵ_i) / U(i, i),   w_j ← w_j − U(i, j) e   for all j > i:
// the optimal brain surgeon's update, which leaves the rest where ‖·‖_A is least given what is
// fixed. Updates beyond a block of inputs wait for its end and are one product then.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <stop_token>

#include "core/methods/group_quantisation/group_rounding.h"

namespace cospadi {

enum class InputOrder {
    Given,  // a group's grid is fitted once it is reached, to the weights as they are then
    FallingDiagonal,  // of A; grids are fitted to the weight as it came, before all
};

// w (d1, d2); metric A (d1, d1), symmetric positive definite: damped by whoever calls. On the
// calling thread. nullopt where it was asked to stop. Throws Error where A has no factor.
std::optional<GroupQuantisedCodes> quantiseWithFeedback(const Eigen::MatrixXf& w,
                                                        Eigen::MatrixXd metric,
                                                        const GroupSettings& settings,
                                                        InputOrder order,
                                                        const std::stop_token& stop);

}  // namespace cospadi
