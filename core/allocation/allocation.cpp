#include "core/allocation/allocation.h"

#include <algorithm>
#include <limits>

#include "core/allocation/allocation_trials.h"
#include "core/allocation/budget_choice.h"

namespace cospadi {

namespace {

constexpr double kRatioStep = 0.01;
constexpr double kLargestLoss = 2;  // times the mean error at the uniform ratio
constexpr int kHalvings = 2;

class Allocation {
  public:
    Allocation(AllocationTrials& trials, const std::vector<LayerInfo>& layers,
               const AllocationOptions& options)
        : m_trials(trials), m_layers(layers), m_options(options) {}

    std::optional<AllocationResult> run() {
        if (!m_trials.measureCurves()) {
            return std::nullopt;
        }
        AllocationResult result;
        const std::optional<double> uniform = m_trials.divergenceAt(uniformRatios());
        if (!uniform) {
            return std::nullopt;
        }
        result.uniformDivergence = *uniform;
        const TrialRatios chosen = chooseRatios();
        for (const LayerInfo& layer : m_layers) {
            const RhoCurves& curve = m_trials.curveOf(layer.name);
            result.predictedDivergence += curve.divergenceOf(curve.errorAt(chosen.at(layer.name)));
        }
        TrialRatios ratios = chosen;
        for (int halving = 0;; ++halving) {
            const std::optional<double> divergence = m_trials.divergenceAt(ratios);
            if (!divergence) {
                return std::nullopt;
            }
            result.divergence = *divergence;
            if (*divergence <= *uniform) {
                break;
            }
            if (halving == kHalvings) {
                result.share = 0;
                result.divergence = *uniform;
                ratios = uniformRatios();
                break;
            }
            result.share /= 2;
            ratios = between(ratios);
        }
        for (const LayerInfo& layer : m_layers) {
            const RhoCurves& curve = m_trials.curveOf(layer.name);
            const double cr = ratios.at(layer.name);
            const double error = curve.errorAt(cr);
            result.ratios[layer.name] = {cr, curve.rhoAt(cr), error, curve.divergenceOf(error)};
        }
        return result;
    }

  private:
    TrialRatios uniformRatios() const {
        TrialRatios ratios;
        for (const LayerInfo& layer : m_layers) {
            ratios[layer.name] = m_options.matrix.cr;
        }
        return ratios;
    }

    TrialRatios chooseRatios() const {
        double mean = 0;
        for (const LayerInfo& layer : m_layers) {
            mean += m_trials.curveOf(layer.name).errorAt(m_options.matrix.cr);
        }
        mean /= static_cast<double>(m_layers.size());
        std::vector<std::vector<BudgetChoice>> items;
        std::vector<std::vector<double>> ratios;
        double budget = 0;
        for (const LayerInfo& layer : m_layers) {
            const RhoCurves& curve = m_trials.curveOf(layer.name);
            MatrixOptions at = m_options.matrix;
            budget += budgetBytes(at, layer.d1, layer.d2);
            // Where an error's cost is known, errors of any size compare.
            const double bound = m_options.outputs != nullptr
                                     ? std::numeric_limits<double>::infinity()
                                     : std::max(kLargestLoss * mean, curve.errorAt(at.cr));
            items.emplace_back();
            ratios.emplace_back();
            const auto offer = [&](double cr) {
                const double error = curve.errorAt(cr);
                at.cr = cr;
                at.rho = curve.rhoAt(cr);
                if (error <= bound && isStorable(at, layer.d1, layer.d2)) {
                    items.back().push_back(
                        {budgetBytes(at, layer.d1, layer.d2), curve.divergenceOf(error)});
                    ratios.back().push_back(cr);
                }
            };
            offer(m_options.matrix.cr);
            for (double cr = curve.smallestRatio(); cr <= curve.largestRatio() + 1e-9;
                 cr += kRatioStep) {
                offer(std::min(cr, curve.largestRatio()));
            }
        }
        const std::vector<std::size_t> chosen = chooseWithinBudget(items, budget);
        TrialRatios result;
        for (std::size_t i = 0; i < m_layers.size(); ++i) {
            result[m_layers[i].name] = ratios[i][chosen[i]];
        }
        return result;
    }

    // Half-way to the uniform ratio. Bytes are linear in the ratio, so that theirs stay within the
    // budget but for what is rounded down.
    TrialRatios between(const TrialRatios& ratios) const {
        TrialRatios result;
        for (const auto& [name, cr] : ratios) {
            result[name] = (cr + m_options.matrix.cr) / 2;
        }
        return result;
    }

    AllocationTrials& m_trials;
    const std::vector<LayerInfo>& m_layers;
    const AllocationOptions& m_options;
};

}  // namespace

std::optional<AllocationResult> allocateRatios(
    Model& model, ThreadPool& pool, const GramSet* grams, const std::vector<LayerInfo>& layers,
    std::span<const std::int32_t> ids, std::int64_t length, const AllocationOptions& options,
    const ProgressCallback& progress, const std::stop_token& stop) {
    AllocationTrials trials(model, pool, grams, layers, ids, length, options, progress, stop);
    return Allocation(trials, layers, options).run();
}

}  // namespace cospadi
