#include "core/run/unit_problems.h"

namespace cospadi {

namespace {

std::vector<LayerInfo> layersIn(const std::vector<LayerUnit>& units) {
    std::vector<LayerInfo> layers;
    for (const LayerUnit& unit : units) {
        layers.insert(layers.end(), unit.layers.begin(), unit.layers.end());
    }
    return layers;
}

// alike: of Grams scaled to one trace, their mean one.
Eigen::MatrixXd meanGram(const GramSet& grams, GramShare share, const LayerUnit& unit, bool alike) {
    const std::int64_t inputs = unit.layers.front().d1;
    Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(inputs, inputs);
    double traces = 0;
    for (const LayerInfo& layer : unit.layers) {
        Eigen::MatrixXd gram = grams.gram(layer.gramKey, share);
        if (const double trace = gram.trace(); alike && trace > 0) {
            gram /= trace;
            traces += trace;
        }
        sum += gram;
    }
    const auto layers = static_cast<double>(unit.layers.size());
    if (alike) {
        sum *= traces / layers;
    }
    return sum / layers;
}

// What the mean Gram of a unit follows from: units of the same blocks (q, k and v; gate and up)
// have the same.
std::string gramsOf(const LayerUnit& unit) {
    std::string keys;
    for (const LayerInfo& layer : unit.layers) {
        keys += layer.gramKey + '\n';
    }
    return keys;
}

// In a metric of its own, the mean of its layers'.
bool hasMean(const LayerUnit& unit) {
    return unit.isShared() && !unit.overOutputs && !unit.hasOneInput();
}

bool has(const GramSet* grams, GramShare share) {
    return grams != nullptr && (share == GramShare::Fitted || grams->heldOut > 0);
}

}  // namespace

UnitProblems::UnitProblems(const Model& model, const GramSet* grams,
                           const std::vector<LayerUnit>& units, const MatrixOptions& options,
                           bool sharesFactors)
    : m_model(model), m_grams(grams), m_alike(options.method->weighsPartsAlike(options)) {
    for (const GramShare share : {GramShare::Fitted, GramShare::HeldOut}) {
        if (sharesFactors && has(grams, share)) {
            m_shared.try_emplace(share, *grams, share, layersIn(units));
            for (const LayerUnit& unit : units) {
                if (hasMean(unit)) {
                    m_means[share].expect(gramsOf(unit));
                }
            }
        }
    }
}

UnitProblem UnitProblems::of(const LayerUnit& unit, Backend& backend) {
    UnitProblem problem;
    for (const LayerInfo& layer : unit.layers) {
        LayerProblem& own = problem.layers.emplace_back();
        own.weight = m_model.weight(layer.name);
        own.whitening = metric(GramShare::Fitted, layer, backend);
        own.heldOut = metric(GramShare::HeldOut, layer, backend);
        if (m_grams != nullptr && m_grams->weightGradients) {
            own.rowFisher = m_grams->weightGradients->rowSums(layer.name);
        }
    }
    problem.overOutputs = unit.overOutputs;
    if (unit.overOutputs) {
        problem.whole = stackedOf(problem.layers);
    } else if (unit.isShared()) {
        const LayerProblem& first = problem.layers.front();
        problem.whole = sideBySideOf(problem.layers);
        problem.common = common(GramShare::Fitted, unit, first.whitening, backend);
        problem.commonHeldOut = common(GramShare::HeldOut, unit, first.heldOut, backend);
    }
    return problem;
}

std::optional<Whitening> UnitProblems::metric(GramShare share, const LayerInfo& layer,
                                              Backend& backend) {
    if (!has(m_grams, share)) {
        return std::nullopt;
    }
    const auto shared = m_shared.find(share);
    return shared != m_shared.end()
               ? shared->second.of(layer, backend)
               : metricOf(m_grams->gram(layer.gramKey, share), share, layer.name, backend);
}

std::optional<Whitening> UnitProblems::common(GramShare share, const LayerUnit& unit,
                                              const std::optional<Whitening>& first,
                                              Backend& backend) {
    if (!has(m_grams, share) || !hasMean(unit)) {
        return first;
    }
    const auto make = [&] {
        return metricOf(meanGram(*m_grams, share, unit, m_alike), share, unit.id(), backend);
    };
    const auto means = m_means.find(share);
    return means != m_means.end() ? means->second.of(gramsOf(unit), make) : make();
}

}  // namespace cospadi
