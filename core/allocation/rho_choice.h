// ρ for every matrix (`--rho auto`): of kRhoCandidates the one under which a matrix is nearest to
// its weight in the bytes that it has. Codes of few atoms each, many atoms; or fewer atoms and
// longer codes: which is better depends on the spectrum and on the shape, not on the bytes alone.
//
// The error is predicted as the knapsack's curves are: the matrix is compressed on trial, with the
// run's method and metric, rounded as it is stored, but in few iterations (kRhoTrialIterations).
// Bytes are those of a fixed ρ at the same compression ratio, short of them by what rounding to
// whole atoms leaves.
//
// The knapsack tries every candidate at every ratio of its curves and chooses both at once
// (rho_curves.h). Other rules share the bytes first; then ρ is chosen here.
#pragma once

#include <optional>
#include <vector>

#include "core/allocation/allocation_rule.h"
#include "core/allocation/trial.h"

namespace cospadi {

struct RhoTrial {
    double rho = 0;
    double error = 0;  // as compressMatrix() reports it, after the iterations of a trial
};

struct RhoChoice {
    double rho = 0;
    double error = 0;  // of its trial, the least
    std::vector<RhoTrial> trials;
};

// Those of the candidates that have a form for this layer at all of these ratios, in their order.
// The options' own ρ where none has: solving then says what is wrong.
std::vector<double> storableRhos(const std::vector<double>& candidates, MatrixOptions options,
                                 const LayerInfo& layer, const std::vector<double>& ratios);

// At options.cr, by trials of every candidate; of equal errors the first. On one thread. nullopt
// when cancelled. Throws Error as compressMatrix().
std::optional<RhoChoice> chooseRho(const TrialLayer& layer, const MatrixOptions& options,
                                   const std::vector<double>& candidates,
                                   const std::stop_token& stop = {});

// rule.allocate(), and where problem.rhos has candidates that the rule did not choose from, the
// best of them for every layer at its ratio. Progress of the one, then of the other, both of the
// stage "allocation". nullopt when cancelled.
std::optional<LayerRatios> allocateWithRho(const AllocationRule& rule,
                                           const AllocationProblem& problem,
                                           const ProgressCallback& progress = {},
                                           const std::stop_token& stop = {});

}  // namespace cospadi
