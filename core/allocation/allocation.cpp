#include "core/allocation/allocation.h"

#include <algorithm>
#include <limits>

#include "core/allocation/allocation_trials.h"
#include "core/allocation/budget_choice.h"
#include "core/allocation/ratio_limits.h"
#include "core/methods/method.h"

namespace cospadi {

namespace {

constexpr double kRatioStep = 0.01;
constexpr double kLargestLoss = 2;  // times the mean error at the uniform ratio
constexpr int kHalvings = 2;
constexpr double kBudgetRounding = 1e-12;

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
        const std::optional<TrialRatios> ratios = triedOut(chosen, result);
        if (!ratios) {
            return std::nullopt;
        }
        for (const LayerInfo& layer : m_layers) {
            const RhoCurves& curve = m_trials.curveOf(layer.name);
            const double cr = ratios->at(layer.name);
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

    MatrixOptions optionsAt(const LayerInfo& layer, double cr) const {
        MatrixOptions at = m_options.matrix;
        at.cr = cr;
        at.rho = m_trials.curveOf(layer.name).rhoAt(cr);
        return at;
    }

    // Of all layers at the uniform ratio and the ρ of the options.
    double budget() const { return uniformBytes(m_options.matrix, m_layers); }

    // The ratios, or others on the way from them to the uniform one, whichever the whole model
    // takes; and into the result how far these are and what they came to. nullopt when cancelled.
    std::optional<TrialRatios> triedOut(const TrialRatios& chosen, AllocationResult& result) {
        TrialRatios aim = chosen;
        std::optional<TrialRatios> ratios = chosen;
        for (int halving = 0; ratios && halving <= kHalvings; ++halving) {
            const std::optional<double> divergence = m_trials.divergenceAt(*ratios);
            if (!divergence) {
                return std::nullopt;
            }
            result.divergence = *divergence;
            if (*divergence <= result.uniformDivergence) {
                return ratios;
            }
            result.share /= 2;
            aim = halfWay(aim);
            ratios = withinBudget(aim);
        }
        result.share = 0;
        result.divergence = result.uniformDivergence;
        return uniformRatios();
    }

    TrialRatios chooseRatios() const {
        double mean = 0;
        for (const LayerInfo& layer : m_layers) {
            mean += m_trials.curveOf(layer.name).errorAt(m_options.matrix.cr);
        }
        mean /= static_cast<double>(m_layers.size());
        std::vector<std::vector<BudgetChoice>> items;
        std::vector<std::vector<double>> ratios;
        for (const LayerInfo& layer : m_layers) {
            const RhoCurves& curve = m_trials.curveOf(layer.name);
            // Where an error's cost is known, errors of any size compare.
            const double bound =
                m_options.outputs != nullptr
                    ? std::numeric_limits<double>::infinity()
                    : std::max(kLargestLoss * mean, curve.errorAt(m_options.matrix.cr));
            items.emplace_back();
            ratios.emplace_back();
            const auto offer = [&](double cr) {
                const double error = curve.errorAt(cr);
                const MatrixOptions at = optionsAt(layer, cr);
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
        const std::vector<std::size_t> chosen = chooseWithinBudget(items, budget());
        TrialRatios result;
        for (std::size_t i = 0; i < m_layers.size(); ++i) {
            result[m_layers[i].name] = ratios[i][chosen[i]];
        }
        return result;
    }

    TrialRatios halfWay(const TrialRatios& ratios) const {
        TrialRatios result;
        for (const auto& [name, cr] : ratios) {
            result[name] = (cr + m_options.matrix.cr) / 2;
        }
        return result;
    }

    // Bytes fall evenly with the ratio only as long as a form can spend them, and go by whole
    // atoms: what lies between ratios that fit may not. nullopt where nothing near it does.
    std::optional<TrialRatios> withinBudget(const TrialRatios& ratios) const {
        std::vector<double> wanted;
        std::vector<double> most;
        for (const LayerInfo& layer : m_layers) {
            wanted.push_back(ratios.at(layer.name));
            most.push_back(m_trials.curveOf(layer.name).largestRatio());
        }
        const double room = budget() * (1 + kBudgetRounding);
        const auto fitting = raisedToFit(wanted, most, [&](const std::vector<double>& raised) {
            double bytes = 0;
            for (std::size_t i = 0; i < m_layers.size(); ++i) {
                const LayerInfo& layer = m_layers[i];
                bytes += budgetBytes(optionsAt(layer, raised[i]), layer.d1, layer.d2);
            }
            return bytes <= room;
        });
        if (!fitting) {
            return std::nullopt;
        }
        TrialRatios result;
        for (std::size_t i = 0; i < m_layers.size(); ++i) {
            result[m_layers[i].name] = (*fitting)[i];
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
