#include "core/allocation/compot_rule.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/allocation/allocation_rule.h"
#include "core/allocation/layer_spectra.h"
#include "core/allocation/ratio_limits.h"
#include "core/linalg/spectrum.h"

namespace cospadi {

namespace {

struct PooledValue {
    double value;
    std::size_t layer;
};

// Ascending.
std::vector<PooledValue> pooled(const std::vector<std::vector<double>>& spectra) {
    std::vector<PooledValue> pool;
    for (std::size_t i = 0; i < spectra.size(); ++i) {
        const double norm = frobeniusNorm(spectra[i]);
        const double scale = norm > 0 ? 1 / norm : 0;
        for (const double value : spectra[i]) {
            pool.push_back({value * scale, i});
        }
    }
    std::stable_sort(pool.begin(), pool.end(),
                     [](const PooledValue& a, const PooledValue& b) { return a.value < b.value; });
    return pool;
}

class CompotRule final : public AllocationRule {
  public:
    CompotRule() : AllocationRule("compot") {}

    AllocationNeeds needs() const override {
        AllocationNeeds needs;
        needs.spectra = true;
        return needs;
    }

    std::optional<LayerRatios> allocate(const AllocationProblem& problem,
                                        const ProgressCallback& progress,
                                        const std::stop_token& stop) const override {
        const auto spectra = layerSpectra(problem, nullptr, progress, stop);
        if (!spectra) {
            return std::nullopt;
        }
        const CompotCut cut = compotCut(problem.options, problem.layers, *spectra);
        LayerRatios result;
        result.model = {{"threshold", cut.threshold}};
        for (std::size_t i = 0; i < problem.layers.size(); ++i) {
            const std::string& name = problem.layers[i].name;
            result.ratios[name] = cut.ratios[i];
            result.layers[name] = {{"rank", cut.ranks[i]},
                                   {"singular_values", (*spectra)[i].size()}};
        }
        return result;
    }
};

}  // namespace

const AllocationRule& compotRule() {
    static const CompotRule rule;
    return rule;
}

CompotCut compotCut(const MatrixOptions& options, const std::vector<LayerInfo>& layers,
                    const std::vector<std::vector<double>>& spectra) {
    std::vector<RatioLimits> limits;
    for (const LayerInfo& layer : layers) {
        limits.push_back(storableRatios(options, layer));
        limits.back().most =
            std::min(limits.back().most, std::max(kCompotHighestRatio, options.cr));
    }
    const std::vector<PooledValue> pool = pooled(spectra);
    const auto cutAt = [&](std::size_t removed) {
        CompotCut cut;
        cut.threshold = removed < pool.size() ? pool[removed].value : 0;
        cut.ranks.assign(layers.size(), 0);
        for (std::size_t i = removed; i < pool.size(); ++i) {
            ++cut.ranks[pool[i].layer];
        }
        for (std::size_t i = 0; i < layers.size(); ++i) {
            const auto d1 = static_cast<double>(layers[i].d1);
            const auto d2 = static_cast<double>(layers[i].d2);
            const double cr = 1 - static_cast<double>(cut.ranks[i]) * (d1 + d2) / (d1 * d2);
            cut.ratios.push_back(std::clamp(cr, limits[i].least, limits[i].most));
        }
        return cut;
    };
    // The more is removed, the fewer the bytes; with all removed every layer is at its highest
    // ratio.
    std::size_t enough = pool.size();
    for (std::size_t first = 0; first < enough;) {
        const std::size_t middle = first + (enough - first) / 2;
        if (fitsUniformBytes(options, layers, cutAt(middle).ratios)) {
            enough = middle;
        } else {
            first = middle + 1;
        }
    }
    CompotCut cut = cutAt(enough);
    cut.ratios = fittingOrUniform(options, layers, std::move(cut.ratios));
    return cut;
}

}  // namespace cospadi
