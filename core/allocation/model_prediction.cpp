#include "core/allocation/model_prediction.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/allocation/anchored_loss.h"
#include "core/allocation/prediction_doubts.h"
#include "core/base/error.h"
#include "core/methods/method.h"

namespace cospadi {

namespace {

constexpr int kPercentSteps = 100;
constexpr double kMegabyte = 1e6;
constexpr double kRatioSlack = 1e-9;
constexpr double kUniformStep = 1e-3;

double denseBytesOf(const LayerCurve& layer) {
    return 2.0 * static_cast<double>(layer.d1) * static_cast<double>(layer.d2);
}

}  // namespace

ModelPredictor::ModelPredictor(ModelCurves curves, const MatrixOptions& options)
    : m_curves(std::move(curves)), m_options(options) {
    if (!options.method->hasRatio(options)) {
        throw Error(
            fmt::format("method {} has no compression ratio to allocate", options.method->name()),
            "method", "use cospadi, svd-llm or another one with a ratio");
    }
    std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::pair<double, double>>> bytes;
    for (const LayerCurve& measured : m_curves.layers) {
        Layer layer{errorCurve(measured), costCurve(measured), denseBytesOf(measured), {}};
        auto& ofShape = bytes[{measured.d1, measured.d2}];
        if (ofShape.empty()) {
            for (int percent = 1; percent < kPercentSteps; ++percent) {
                MatrixOptions at = options;
                at.cr = static_cast<double>(percent) / kPercentSteps;
                if (isStorable(at, measured.d1, measured.d2)) {
                    ofShape.emplace_back(at.cr, budgetBytes(at, measured.d1, measured.d2));
                }
            }
        }
        for (const auto& [cr, size] : ofShape) {
            if (cr >= layer.errors.smallestRatio() - kRatioSlack &&
                cr <= layer.errors.largestRatio() + kRatioSlack) {
                layer.offers.push_back(offerOf(layer, cr, size));
            }
        }
        m_layers.push_back(std::move(layer));
    }
}

double ModelPredictor::smallestRatio() const {
    double ratio = 0;
    for (const Layer& layer : m_layers) {
        ratio = std::max(ratio, layer.offers.empty() ? 0 : layer.offers.front().cr);
    }
    return ratio;
}

double ModelPredictor::largestRatio() const {
    double ratio = 1;
    for (const Layer& layer : m_layers) {
        ratio = std::min(ratio, layer.offers.empty() ? 1 : layer.offers.back().cr);
    }
    return ratio;
}

double ModelPredictor::lossOf(double divergence) const {
    return anchoredLoss(m_curves.anchors, divergence);
}

std::vector<bool> ModelPredictor::countedIn(const PredictionTarget& target) const {
    std::set<std::string> names;
    std::vector<bool> counts;
    for (const LayerCurve& layer : m_curves.layers) {
        names.insert(layer.name);
        counts.push_back(!target.excluded.contains(layer.name));
    }
    const auto require = [&](const std::string& name, const char* what) {
        if (!names.contains(name)) {
            throw Error(fmt::format("there is no such layer to {}", what), name,
                        "`cospadi inspect MODEL` lists the names");
        }
    };
    for (const auto& [name, cr] : target.pins) {
        require(name, "pin");
    }
    for (const auto& [name, cr] : target.limits) {
        require(name, "limit");
    }
    for (const std::string& name : target.excluded) {
        require(name, "exclude");
    }
    if (std::none_of(counts.begin(), counts.end(), [](bool count) { return count; })) {
        throw Error("every layer is excluded", "exclude", "keep at least one");
    }
    return counts;
}

ModelPredictor::Offer ModelPredictor::offerAt(std::size_t layer, double cr) const {
    const LayerCurve& measured = m_curves.layers[layer];
    const AllocationCurve& curve = m_layers[layer].errors;
    if (!(cr >= curve.smallestRatio() - kRatioSlack && cr <= curve.largestRatio() + kRatioSlack)) {
        throw Error(
            fmt::format("CR {} is outside the measured range", cr), measured.name,
            fmt::format("give {:.2f} to {:.2f}", curve.smallestRatio(), curve.largestRatio()));
    }
    MatrixOptions at = m_options;
    at.cr = cr;
    if (!isStorable(at, measured.d1, measured.d2)) {
        throw Error(fmt::format("cannot be stored at CR {}", cr), measured.name,
                    "pin it to another ratio, or exclude it");
    }
    return offerOf(m_layers[layer], cr, budgetBytes(at, measured.d1, measured.d2));
}

ModelPredictor::Offer ModelPredictor::offerOf(const Layer& layer, double cr, double bytes) {
    return {cr, layer.errors.errorAt(cr), {bytes, std::pow(layer.costs.errorAt(cr), 2)}};
}

std::vector<ModelPredictor::Offer> ModelPredictor::shared(const PredictionTarget& target,
                                                          const std::vector<bool>& counts,
                                                          double budget) const {
    std::vector<std::vector<BudgetChoice>> items;
    std::vector<std::vector<Offer>> offers;
    std::vector<std::size_t> places;
    double least = 0;
    for (std::size_t i = 0; i < m_layers.size(); ++i) {
        if (!counts[i]) {
            continue;
        }
        const std::string& name = m_curves.layers[i].name;
        const auto pin = target.pins.find(name);
        const auto limit = target.limits.find(name);
        std::vector<Offer> own;
        if (pin != target.pins.end()) {
            own.push_back(offerAt(i, pin->second));
        } else {
            for (const Offer& offer : m_layers[i].offers) {
                if (limit == target.limits.end() || offer.cr <= limit->second + kRatioSlack) {
                    own.push_back(offer);
                }
            }
        }
        if (own.empty()) {
            throw Error("cannot be stored at any permitted ratio", name,
                        "exclude it, or raise its limit");
        }
        std::vector<BudgetChoice> choices;
        double smallest = own.front().choice.bytes;
        for (const Offer& offer : own) {
            choices.push_back(offer.choice);
            smallest = std::min(smallest, offer.choice.bytes);
        }
        least += smallest;
        items.push_back(std::move(choices));
        offers.push_back(std::move(own));
        places.push_back(i);
    }
    if (least > budget * (1 + 1e-12)) {
        const double others = target.bytes ? *target.bytes - budget : 0;
        throw Error(fmt::format("{:.2f} MB are less than the matrices need at the largest ratios",
                                (budget + others) / kMegabyte),
                    target.bytes ? "bytes" : "cr",
                    fmt::format("at least {:.2f} MB are needed{}", (least + others) / kMegabyte,
                                target.pins.empty() && target.limits.empty()
                                    ? ""
                                    : " with the given pins and limits"));
    }
    const std::vector<std::size_t> chosen = chooseWithinBudget(items, budget);
    std::vector<Offer> result(m_layers.size());
    for (std::size_t item = 0; item < items.size(); ++item) {
        result[places[item]] = offers[item][chosen[item]];
    }
    return result;
}

std::vector<ModelPredictor::Offer> ModelPredictor::atRatio(const PredictionTarget& target,
                                                           const std::vector<bool>& counts,
                                                           double cr) const {
    std::vector<Offer> result(m_layers.size());
    for (std::size_t i = 0; i < m_layers.size(); ++i) {
        if (!counts[i]) {
            continue;
        }
        const std::string& name = m_curves.layers[i].name;
        const auto pin = target.pins.find(name);
        const auto limit = target.limits.find(name);
        result[i] = offerAt(i, pin != target.pins.end()       ? pin->second
                               : limit != target.limits.end() ? std::min(cr, limit->second)
                                                              : cr);
    }
    return result;
}

// The smallest one whose bytes fit, to a tenth of a percent: bytes fall as it grows.
double ModelPredictor::uniformRatioFor(const PredictionTarget& target,
                                       const std::vector<bool>& counts, double budget) const {
    const auto bytesAt = [&](double cr) {
        double sum = 0;
        for (const Offer& offer : atRatio(target, counts, cr)) {
            sum += offer.choice.bytes;
        }
        return sum;
    };
    auto fits = static_cast<int>(std::floor(largestRatio() / kUniformStep + kRatioSlack));
    auto tooLarge = static_cast<int>(std::ceil(smallestRatio() / kUniformStep - kRatioSlack)) - 1;
    if (bytesAt(fits * kUniformStep) > budget * (1 + 1e-12)) {
        throw Error(
            fmt::format(
                "{:.2f} MB for the matrices are less than a single ratio for all of them needs",
                budget / kMegabyte),
            target.bytes ? "bytes" : "cr",
            fmt::format("the largest ratio is {:.2f}", largestRatio()));
    }
    while (fits - tooLarge > 1) {
        const int middle = std::midpoint(fits, tooLarge);
        (bytesAt(middle * kUniformStep) <= budget ? fits : tooLarge) = middle;
    }
    return fits * kUniformStep;
}

Prediction ModelPredictor::told(const std::vector<Offer>& chosen,
                                const std::vector<bool>& counts) const {
    Prediction prediction;
    prediction.modelBytes = m_curves.otherBytes;
    for (std::size_t i = 0; i < m_layers.size(); ++i) {
        const Offer& offer = chosen[i];
        prediction.layers.push_back({m_curves.layers[i].name, offer.cr, offer.error,
                                     offer.choice.cost,
                                     counts[i] ? offer.choice.bytes : m_layers[i].denseBytes});
        prediction.divergence += offer.choice.cost;
        prediction.modelBytes += prediction.layers.back().bytes;
        if (counts[i]) {
            prediction.bytes += offer.choice.bytes;
            prediction.denseBytes += m_layers[i].denseBytes;
        }
    }
    prediction.loss = lossOf(prediction.divergence);
    prediction.perplexity = m_curves.densePerplexity * std::exp(prediction.loss);
    return prediction;
}

std::vector<Phrase> ModelPredictor::doubts(const Prediction& prediction,
                                           const std::vector<bool>& counts) const {
    PredictionBasis basis;
    for (std::size_t i = 0; i < m_layers.size(); ++i) {
        if (counts[i]) {
            ++basis.counted;
            basis.guessed += m_curves.layers[i].isTried ? 0 : 1;
            basis.unprobed += m_curves.layers[i].isProbed ? 0 : 1;
            const double cr = prediction.layers[i].cr;
            basis.outermost += cr > m_layers[i].errors.largestRatio() - 0.01 ? 1 : 0;
        }
    }
    return doubtsOf(prediction, m_curves, m_options, basis);
}

Prediction ModelPredictor::predict(const PredictionTarget& target) const {
    const std::vector<bool> counts = countedIn(target);
    double dense = 0;
    double others = m_curves.otherBytes;
    for (std::size_t i = 0; i < m_layers.size(); ++i) {
        (counts[i] ? dense : others) += m_layers[i].denseBytes;
    }
    if (!target.bytes && !(target.cr > 0 && target.cr < 1)) {
        throw Error(fmt::format("CR {} is not a fraction of the bytes", target.cr), "cr",
                    "give a number between 0 and 1");
    }
    const double budget = target.bytes ? *target.bytes - others : (1 - target.cr) * dense;
    const auto chosenFor = [&](double bytes, double cr) {
        return target.uniform ? atRatio(target, counts, cr) : shared(target, counts, bytes);
    };
    const double cr = !target.uniform ? 0
                      : target.bytes  ? uniformRatioFor(target, counts, budget)
                                      : target.cr;
    Prediction prediction = told(chosenFor(budget, cr), counts);
    // What the next megabyte brings.
    const double nextCr = cr - kMegabyte / dense;
    if (!target.uniform || nextCr >= smallestRatio()) {
        const Prediction more = told(chosenFor(budget + kMegabyte, nextCr), counts);
        if (more.bytes > prediction.bytes) {
            prediction.gainPerMegabyte =
                (prediction.loss - more.loss) / (more.bytes - prediction.bytes) * kMegabyte;
        }
    }
    prediction.doubts = doubts(prediction, counts);
    return prediction;
}

}  // namespace cospadi
