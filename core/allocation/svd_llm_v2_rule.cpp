#include "core/allocation/svd_llm_v2_rule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/allocation/allocation_rule.h"
#include "core/allocation/layer_spectra.h"
#include "core/allocation/ratio_limits.h"
#include "core/dictionary/budget.h"
#include "core/linalg/spectrum.h"

namespace cospadi {

namespace {

constexpr int kBisections = 100;
constexpr double kLeastLoss = 1e-9;  // of the greatest of its kind: below it nothing is lost

double entries(const LayerInfo& layer) {
    return static_cast<double>(layer.d1) * static_cast<double>(layer.d2);
}

// Ratios in proportion to weights, cut to their limits.
class ScaledRatios {
  public:
    ScaledRatios(const MatrixOptions& options, const std::vector<LayerInfo>& layers,
                 const std::vector<double>& weights)
        : m_options(options), m_layers(layers), m_weights(weights) {
        for (const LayerInfo& layer : layers) {
            m_limits.push_back(storableRatios(options, layer));
        }
    }

    std::vector<double> at(double t) const {
        std::vector<double> ratios;
        for (std::size_t i = 0; i < m_layers.size(); ++i) {
            ratios.push_back(std::clamp(t * m_weights[i], m_limits[i].least, m_limits[i].most));
        }
        return ratios;
    }

    // Removes γ of all entries, rounding to whole atoms left aside.
    bool removesEnough(double t) const {
        const std::vector<double> ratios = at(t);
        double removed = 0;
        double wanted = 0;
        for (std::size_t i = 0; i < m_layers.size(); ++i) {
            removed += ratios[i] * entries(m_layers[i]);
            wanted += m_options.cr * entries(m_layers[i]);
        }
        return removed >= wanted * (1 - 1e-12);
    }

    bool fits(double t) const { return fitsUniformBytes(m_options, m_layers, at(t)); }

    // Where every ratio has reached its upper limit.
    double largest() const {
        double t = 0;
        for (std::size_t i = 0; i < m_layers.size(); ++i) {
            t = std::max(t, m_limits[i].most / m_weights[i]);
        }
        return t;
    }

  private:
    const MatrixOptions& m_options;
    const std::vector<LayerInfo>& m_layers;
    const std::vector<double>& m_weights;
    std::vector<RatioLimits> m_limits;
};

// The least t for which it holds, from one where it does not to one where it does.
template <typename Predicate>
double leastWhere(double below, double above, Predicate&& holds) {
    for (int i = 0; i < kBisections; ++i) {
        const double middle = (below + above) / 2;
        (holds(middle) ? above : below) = middle;
    }
    return above;
}

class SvdLlmV2Rule final : public AllocationRule {
  public:
    SvdLlmV2Rule() : AllocationRule("svd-llm-v2") {}

    AllocationNeeds needs() const override {
        AllocationNeeds needs;
        needs.grams = true;
        needs.spectra = true;
        return needs;
    }

    std::optional<LayerRatios> allocate(const AllocationProblem& problem,
                                        const ProgressCallback& progress,
                                        const std::stop_token& stop) const override {
        const auto spectra = layerSpectra(problem, problem.grams, progress, stop);
        if (!spectra) {
            return std::nullopt;
        }
        std::map<std::string, std::vector<std::size_t>> kinds;
        for (std::size_t i = 0; i < problem.layers.size(); ++i) {
            kinds[problem.layers[i].kind].push_back(i);
        }
        LayerRatios result;
        for (const auto& [kind, members] : kinds) {
            shareAmong(problem, *spectra, members, result);
        }
        return result;
    }

  private:
    static void shareAmong(const AllocationProblem& problem,
                           const std::vector<std::vector<double>>& spectra,
                           const std::vector<std::size_t>& members, LayerRatios& result) {
        std::vector<LayerInfo> layers;
        std::vector<double> losses;
        for (const std::size_t i : members) {
            const LayerInfo& layer = problem.layers[i];
            layers.push_back(layer);
            losses.push_back(theoreticalLoss(layer, spectra[i], problem.options.cr));
        }
        const std::vector<double> weights = svdLlmV2Weights(losses);
        const std::vector<double> ratios = svdLlmV2Ratios(problem.options, layers, weights);
        for (std::size_t i = 0; i < layers.size(); ++i) {
            result.ratios[layers[i].name] = ratios[i];
            result.layers[layers[i].name] = {{"loss", losses[i]}, {"weight", weights[i]}};
        }
    }

    // As published it is that of bfloat16 factors, whatever the run's method.
    static double theoreticalLoss(const LayerInfo& layer, const std::vector<double>& spectrum,
                                  double cr) {
        const auto rank =
            static_cast<std::size_t>(lowRankBudget(layer.d1, layer.d2, cr, Accounting::Eq11).rank);
        return frobeniusNorm(spectrum) * truncationErrors(spectrum)[rank];
    }
};

}  // namespace

const AllocationRule& svdLlmV2Rule() {
    static const SvdLlmV2Rule rule;
    return rule;
}

std::vector<double> svdLlmV2Weights(const std::vector<double>& losses) {
    const double greatest = *std::max_element(losses.begin(), losses.end());
    if (!(greatest > 0)) {
        return std::vector<double>(losses.size(), 1.0);
    }
    const auto counted = [&](double loss) { return std::max(loss, kLeastLoss * greatest); };
    const double least = counted(*std::min_element(losses.begin(), losses.end()));
    const double scale = std::max(1.0, std::numbers::e / least);
    std::vector<double> weights;
    for (const double loss : losses) {
        weights.push_back(1 / std::log(scale * counted(loss)));
    }
    return weights;
}

std::vector<double> svdLlmV2Ratios(const MatrixOptions& options,
                                   const std::vector<LayerInfo>& layers,
                                   const std::vector<double>& weights) {
    const ScaledRatios scaled(options, layers, weights);
    const double largest = scaled.largest();
    const double exact = leastWhere(0, largest, [&](double t) { return scaled.removesEnough(t); });
    if (scaled.fits(exact)) {
        return scaled.at(exact);
    }
    // Down to whole atoms the layers round otherwise than at the uniform ratio.
    const double fitting = leastWhere(exact, largest, [&](double t) { return scaled.fits(t); });
    return fittingOrUniform(options, layers, scaled.at(fitting));
}

}  // namespace cospadi
