// ROCKET's rule (arXiv 2602.11008): of candidates CR 0.05, 0.10, … 0.70 one for every layer, so
// that the errors of the weights themselves add up to the least, under the bytes of the uniform
// ratio, by dynamic programming over 50,000 steps of these:
//
//   min Σ e_i(c_i),  e = ‖W − W̃‖ / ‖W‖,  with e_i(c_i) ≤ α · mean e(γ)
//
// for the smallest α in 1 … 2 (steps of 0.01) for which any choice has room.
//
// What differs from the published rule:
// - ρ is the run's, or chosen a layer once the ratios are (rho_choice.h); theirs with the ratios.
// - Fourteen solves a layer would cost more than the run. They take a single decomposition without
//   iterations for it; a run here has any method, so that its own short trials are taken (six
//   iterations) at five ratios, 0.05, 0.70, the uniform one and half-way to it from both, and ln e
//   is interpolated linearly in CR between them, made monotone (AllocationCurve). Both ends are
//   tried, so that nothing is extrapolated.
// - The uniform ratio is a candidate, too, and where a form ends within 0.05 … 0.70, so is its end.
//   Where no α has room, layers that are above twice the mean at the uniform ratio already may stay
//   as they are there.
#pragma once

#include <vector>

#include "core/allocation/allocation_curve.h"
#include "core/allocation/budget_choice.h"
#include "core/methods/matrix_options.h"
#include "core/model/layer_info.h"

namespace cospadi {

class AllocationRule;
const AllocationRule& rocketRule();

struct RocketChoice {
    std::vector<std::size_t> chosen;  // of every item
    double bound = 0;                 // α; 0 where none has room
};

// items: candidates of every layer, cost = e. uniform: the index of the uniform ratio among them.
// The budget is what these cost.
RocketChoice rocketChoice(const std::vector<std::vector<BudgetChoice>>& items,
                          const std::vector<std::size_t>& uniform);

// Where to try a layer whose ratios are limited to least … most, growing: up to five.
std::vector<double> rocketTrials(double cr, double least, double most);

struct RocketRatios {
    std::vector<double> ratios;
    double bound = 0;      // as above
    double meanError = 0;  // at the uniform ratio
};

// curves: e of every layer, over all ratios that it may have.
RocketRatios rocketRatios(const MatrixOptions& options, const std::vector<LayerInfo>& layers,
                          const std::vector<AllocationCurve>& curves);

}  // namespace cospadi
