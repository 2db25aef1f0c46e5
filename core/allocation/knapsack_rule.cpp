#include "core/allocation/knapsack_rule.h"

#include <fmt/format.h>

#include "core/allocation/allocation.h"
#include "core/allocation/allocation_rule.h"

namespace cospadi {

namespace {

// Empty where the ratios are as the knapsack chose them.
std::string warningOf(const AllocationResult& allocated) {
    if (allocated.share == 1) {
        return "";
    }
    return fmt::format(
        "the ratios predicted to be best made the model diverge more than the uniform one ({:.4f} "
        "nats per token); {}",
        allocated.uniformDivergence,
        allocated.share > 0
            ? fmt::format("ratios {:.0f} % of the way towards them are used ({:.4f})",
                          100 * allocated.share, allocated.divergence)
            : "the uniform ratio is used");
}

class KnapsackRule final : public AllocationRule {
  public:
    KnapsackRule() : AllocationRule("knapsack") {}

    AllocationNeeds needs() const override {
        AllocationNeeds needs;
        needs.grams = true;
        needs.trials = AllocationOptions::kSolvesALayer;
        needs.rhoTrials = AllocationOptions::kCurveSolves;
        needs.probes = true;
        return needs;
    }

    std::optional<LayerRatios> allocate(const AllocationProblem& problem,
                                        const ProgressCallback& progress,
                                        const std::stop_token& stop) const override {
        AllocationOptions options;
        options.matrix = problem.options;
        options.rhos = problem.rhos;
        options.curves = problem.curves;
        options.outputs = problem.outputs;
        options.trialIterations = problem.rhos.empty() ? kTrialIterations : kRhoTrialIterations;
        const auto allocated =
            allocateRatios(problem.model, problem.pool, problem.grams, problem.layers, problem.ids,
                           problem.length, options, progress, stop);
        if (!allocated) {
            return std::nullopt;
        }
        LayerRatios result;
        for (const auto& [layer, ratio] : allocated->ratios) {
            result.ratios[layer] = ratio.cr;
            if (!problem.rhos.empty()) {
                result.rhos[layer] = ratio.rho;
            }
            result.layers[layer] = {{"predicted_error", ratio.predictedError},
                                    {"predicted_divergence", ratio.predictedDivergence}};
        }
        result.model = {{"share", allocated->share},
                        {"predicted_divergence", allocated->predictedDivergence},
                        {"divergence", allocated->divergence},
                        {"uniform_divergence", allocated->uniformDivergence}};
        result.warning = warningOf(*allocated);
        return result;
    }
};

}  // namespace

const AllocationRule& knapsackRule() {
    static const KnapsackRule rule;
    return rule;
}

}  // namespace cospadi
