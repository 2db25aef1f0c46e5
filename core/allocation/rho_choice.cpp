#include "core/allocation/rho_choice.h"

#include <algorithm>
#include <utility>

#include "core/allocation/allocation_progress.h"
#include "core/methods/method.h"

namespace cospadi {

namespace {

std::optional<RhoChoice> chooseRhoOf(const AllocationProblem& problem, TrialLayers& layers,
                                     const LayerInfo& layer, double cr,
                                     const std::stop_token& stop) {
    MatrixOptions at = problem.options;
    at.cr = cr;
    return chooseRho(layers.of(layer), at, storableRhos(problem.rhos, at, layer, {cr}), stop);
}

// False when cancelled.
bool addRhos(const AllocationProblem& problem, LayerRatios& allocated,
             const ProgressCallback& progress, const std::stop_token& stop) {
    const auto count = static_cast<std::int64_t>(problem.layers.size());
    AllocationProgress done(count, progress);
    std::vector<std::optional<RhoChoice>> choices(problem.layers.size());
    TrialLayers layers(problem.model, problem.grams, problem.pool.threadCount(), problem.outputs);
    problem.pool.run(count, [&](std::int64_t i) {
        const auto at = static_cast<std::size_t>(i);
        const LayerInfo& layer = problem.layers[at];
        choices[at] = chooseRhoOf(problem, layers, layer, allocated.ratios.at(layer.name), stop);
        done.advance(1);
    });
    if (stop.stop_requested()) {
        return false;
    }
    for (std::size_t i = 0; i < choices.size(); ++i) {
        const std::string& name = problem.layers[i].name;
        nlohmann::json trials = nlohmann::json::array();
        for (const RhoTrial& trial : choices[i]->trials) {
            trials.push_back({trial.rho, trial.error});
        }
        allocated.rhos[name] = choices[i]->rho;
        allocated.layers[name]["rho_trials"] = std::move(trials);
    }
    return true;
}

}  // namespace

std::vector<double> storableRhos(const std::vector<double>& candidates, MatrixOptions options,
                                 const LayerInfo& layer, const std::vector<double>& ratios) {
    std::vector<double> storable;
    const double own = options.rho;
    for (const double rho : candidates) {
        options.rho = rho;
        if (std::all_of(ratios.begin(), ratios.end(), [&](double cr) {
                options.cr = cr;
                return isStorable(options, layer.d1, layer.d2);
            })) {
            storable.push_back(rho);
        }
    }
    return storable.empty() ? std::vector<double>{own} : storable;
}

std::optional<RhoChoice> chooseRho(const TrialLayer& layer, const MatrixOptions& options,
                                   const std::vector<double>& candidates,
                                   const std::stop_token& stop) {
    RhoChoice choice;
    MatrixOptions at = options;
    for (const double rho : candidates) {
        if (stop.stop_requested()) {
            return std::nullopt;
        }
        at.rho = rho;
        const CompressedMatrix trial =
            compressedOnTrial(layer, at, options.cr, kRhoTrialIterations, stop);
        if (trial.termination == Termination::Cancelled) {
            return std::nullopt;
        }
        const double error = errorOfTrial(trial);
        if (choice.trials.empty() || error < choice.error) {
            choice.rho = rho;
            choice.error = error;
        }
        choice.trials.push_back({rho, error});
    }
    return choice;
}

std::optional<LayerRatios> allocateWithRho(const AllocationRule& rule,
                                           const AllocationProblem& problem,
                                           const ProgressCallback& progress,
                                           const std::stop_token& stop) {
    std::optional<LayerRatios> allocated = rule.allocate(problem, progress, stop);
    if (allocated && !problem.rhos.empty() && allocated->rhos.empty() &&
        !addRhos(problem, *allocated, progress, stop)) {
        return std::nullopt;
    }
    return allocated;
}

}  // namespace cospadi
