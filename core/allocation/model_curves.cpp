#include "core/allocation/model_curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "core/allocation/curve_grid.h"
#include "core/allocation/curve_store.h"
#include "core/allocation/trial.h"
#include "core/base/error.h"

namespace cospadi {

namespace {

constexpr double kReference = kLevelRatios.front();  // that every matrix is tried at first
constexpr double kSmallestTold = 1e-5;               // as AllocationCurve
constexpr double kUsualSlope = 3;  // of ln e over CR, before any matrix was tried at two ratios

struct KnownLayer {
    const LayerInfo* info = nullptr;
    std::map<double, double> trials;  // ln e of the short schedule, by CR
    std::map<double, double> ends;    // ln (e of a whole solve / e of the trial), by CR
    std::optional<double> cost;       // ln a
    bool isProbed = false;            // under these settings
};

double logOf(double error) { return std::log(std::max(error, kSmallestTold)); }

KnownLayer knownOf(const LayerInfo& info, const MatrixOptions& options, const CurveStore& store) {
    KnownLayer known;
    known.info = &info;
    const CurveStore::Layer tried = store.layer(info.name);
    for (const auto& [at, error] : tried.errors) {
        if (at.rho == options.rho && at.iterations == kTrialIterations) {
            known.trials[at.cr] = logOf(error);
        }
    }
    for (const auto& [at, error] : tried.errors) {
        const auto trial = known.trials.find(at.cr);
        if (at.rho == options.rho && at.iterations == options.iterations &&
            trial != known.trials.end()) {
            known.ends[at.cr] = logOf(error) - trial->second;
        }
    }
    // KL = a e²: of several probes the mean of ln a.
    double sum = 0;
    int probes = 0;
    for (const auto& [key, divergence] : tried.divergences) {
        const auto error = tried.errors.find(key.first);
        if (error != tried.errors.end() && key.first.rho == options.rho) {
            sum += std::log(std::max(divergence, 1e-9)) - 2 * logOf(error->second);
            ++probes;
        }
    }
    if (probes > 0) {
        known.cost = sum / probes;
        known.isProbed = true;
    } else if (const auto elsewhere = store.probeElsewhere(info.name)) {
        known.cost = std::log(std::max(elsewhere->second, 1e-9)) - 2 * logOf(elsewhere->first);
    }
    return known;
}

// Piecewise linear through known places, constant beyond; nothing where none is known.
std::optional<double> between(const std::map<double, double>& known, double x) {
    if (known.empty()) {
        return std::nullopt;
    }
    const auto after = known.lower_bound(x);
    if (after == known.end()) {
        return std::prev(after)->second;
    }
    if (after == known.begin() || after->first == x) {
        return after->second;
    }
    const auto before = std::prev(after);
    const double share = (x - before->first) / (after->first - before->first);
    return std::lerp(before->second, after->second, share);
}

class Estimate {
  public:
    Estimate(const std::vector<LayerInfo>& layers, const MatrixOptions& options,
             const CurveStore& store) {
        for (const LayerInfo& info : layers) {
            m_layers.push_back(knownOf(info, options, store));
        }
        for (const KnownLayer& layer : m_layers) {
            if (const auto level = levelOf(layer)) {
                m_levels[layer.info->kind][static_cast<double>(layer.info->block)] = *level;
                m_allLevels[static_cast<double>(layer.info->block)] = *level;
            }
            if (layer.cost) {
                m_costs[layer.info->kind][static_cast<double>(layer.info->block)] = *layer.cost;
                m_allCosts[static_cast<double>(layer.info->block)] = *layer.cost;
            }
            for (const auto& [cr, error] : layer.trials) {
                m_ratios.insert(cr);
            }
        }
        m_ratios.insert(kLevelRatios.begin(), kLevelRatios.end());
        m_ratios.insert(kShapeRatios.begin(), kShapeRatios.end());
        for (const double cr : m_ratios) {
            addShapes(cr);
        }
        addEnds();
    }

    bool isEmpty() const { return m_allLevels.empty() || m_allCosts.empty(); }
    bool isSettled() const { return !m_allEnds.empty(); }

    std::vector<LayerCurve> curves() const {
        std::vector<LayerCurve> curves;
        for (const KnownLayer& layer : m_layers) {
            const LayerInfo& info = *layer.info;
            LayerCurve curve{info.name,     info.kind, info.block,    info.d1,
                             info.d2,       {},        costOf(layer), !layer.trials.empty(),
                             layer.isProbed};
            for (const double cr : m_ratios) {
                curve.points.push_back({cr, std::exp(trialAt(layer, cr) + endAt(info, cr))});
            }
            curves.push_back(std::move(curve));
        }
        return curves;
    }

    // Σ a e² of the trials themselves: what a whole-model trial is compared with.
    double divergenceOfTrials(double cr) const {
        double sum = 0;
        for (const KnownLayer& layer : m_layers) {
            sum += costOf(layer) * std::exp(2 * trialAt(layer, cr));
        }
        return sum;
    }

  private:
    // ln e at the reference ratio, of its own trial at it, or at whatever ratio there is one.
    static std::optional<double> levelOf(const KnownLayer& layer) {
        if (layer.trials.empty()) {
            return std::nullopt;
        }
        const auto nearest = std::min_element(
            layer.trials.begin(), layer.trials.end(), [](const auto& a, const auto& b) {
                return std::abs(a.first - kReference) < std::abs(b.first - kReference);
            });
        return nearest->second + kUsualSlope * (kReference - nearest->first);
    }

    // Mean of ln e(cr) − ln e(reference) over the matrices that were tried at both, by kind.
    void addShapes(double cr) {
        std::map<std::string, std::pair<double, int>> sums;
        std::pair<double, int> all;
        for (const KnownLayer& layer : m_layers) {
            const auto at = layer.trials.find(cr);
            const auto reference = layer.trials.find(kReference);
            if (at != layer.trials.end() && reference != layer.trials.end()) {
                const double step = at->second - reference->second;
                auto& [sum, count] = sums[layer.info->kind];
                sum += step;
                ++count;
                all.first += step;
                ++all.second;
            }
        }
        if (all.second > 0) {
            m_allShapes[cr] = all.first / all.second;
        }
        for (const auto& [kind, sum] : sums) {
            m_shapes[kind][cr] = sum.first / sum.second;
        }
    }

    void addEnds() {
        std::map<std::string, std::map<double, std::pair<double, int>>> sums;
        std::map<double, std::pair<double, int>> all;
        for (const KnownLayer& layer : m_layers) {
            for (const auto& [cr, end] : layer.ends) {
                for (auto* sum : {&sums[layer.info->kind][cr], &all[cr]}) {
                    sum->first += end;
                    ++sum->second;
                }
            }
        }
        for (const auto& [kind, ratios] : sums) {
            for (const auto& [cr, sum] : ratios) {
                m_ends[kind][cr] = sum.first / sum.second;
            }
        }
        for (const auto& [cr, sum] : all) {
            m_allEnds[cr] = sum.first / sum.second;
        }
    }

    double shapeAt(const std::string& kind, double cr) const {
        if (const auto own = m_shapes.find(kind); own != m_shapes.end()) {
            if (const auto shape = own->second.find(cr); shape != own->second.end()) {
                return shape->second;
            }
        }
        const auto shape = m_allShapes.find(cr);
        return shape != m_allShapes.end() ? shape->second : kUsualSlope * (cr - kReference);
    }

    double levelAt(const LayerInfo& info) const { return nearby(m_levels, m_allLevels, info); }

    double trialAt(const KnownLayer& layer, double cr) const {
        const LayerInfo& info = *layer.info;
        const double reference = levelAt(info);
        std::map<double, double> own;  // by how much its own trials lie above the shape
        for (const auto& [at, error] : layer.trials) {
            own[at] = error - reference - shapeAt(info.kind, at);
        }
        return reference + shapeAt(info.kind, cr) + between(own, cr).value_or(0);
    }

    double endAt(const LayerInfo& info, double cr) const {
        if (const auto own = m_ends.find(info.kind); own != m_ends.end()) {
            return *between(own->second, cr);
        }
        return between(m_allEnds, cr).value_or(0);
    }

    double costOf(const KnownLayer& layer) const {
        return std::exp(layer.cost ? *layer.cost : nearby(m_costs, m_allCosts, *layer.info));
    }

    using ByBlock = std::map<double, double>;
    static double nearby(const std::map<std::string, ByBlock>& kinds, const ByBlock& all,
                         const LayerInfo& info) {
        const auto block = static_cast<double>(info.block);
        const auto own = kinds.find(info.kind);
        return own != kinds.end() ? *between(own->second, block) : *between(all, block);
    }

    std::vector<KnownLayer> m_layers;
    std::set<double> m_ratios;
    std::map<std::string, ByBlock> m_levels, m_costs;
    ByBlock m_allLevels, m_allCosts;
    std::map<std::string, std::map<double, double>> m_shapes, m_ends;
    std::map<double, double> m_allShapes, m_allEnds;
};

const nlohmann::json& member(const nlohmann::json& object, const char* field) {
    const auto found = object.find(field);
    if (!object.is_object() || found == object.end()) {
        throw Error(fmt::format("there is no \"{}\"", field), "curves",
                    "measure them again with this program");
    }
    return *found;
}

template <class Value>
Value numberOf(const nlohmann::json& object, const char* field) {
    const nlohmann::json& value = member(object, field);
    try {
        return value.get<Value>();
    } catch (const nlohmann::json::exception&) {
        throw Error(fmt::format("\"{}\" is of the wrong type: {}", field, value.dump()), "curves",
                    "measure them again with this program");
    }
}

}  // namespace

ModelCurves estimateCurves(const std::vector<LayerInfo>& layers, const MatrixOptions& options,
                           const CurveStore& store, const std::string& wholeTrial) {
    ModelCurves result;
    const Estimate estimate(layers, options, store);
    if (estimate.isEmpty()) {
        return result;
    }
    result.layers = estimate.curves();
    result.isSettled = estimate.isSettled();
    for (const double cr : kLevelRatios) {
        if (const auto loss = store.wholeLoss({cr, options.rho, kTrialIterations}, wholeTrial)) {
            result.anchors.push_back({estimate.divergenceOfTrials(cr), *loss});
        }
    }
    std::sort(
        result.anchors.begin(), result.anchors.end(),
        [](const CurveAnchor& a, const CurveAnchor& b) { return a.divergence < b.divergence; });
    return result;
}

nlohmann::json toJson(const ModelCurves& curves) {
    nlohmann::json layers = nlohmann::json::array();
    for (const LayerCurve& layer : curves.layers) {
        nlohmann::json points = nlohmann::json::array();
        for (const CurvePoint& point : layer.points) {
            points.push_back({point.cr, point.error});
        }
        layers.push_back({{"name", layer.name},
                          {"kind", layer.kind},
                          {"block", layer.block},
                          {"d1", layer.d1},
                          {"d2", layer.d2},
                          {"points", std::move(points)},
                          {"cost", layer.cost},
                          {"tried", layer.isTried},
                          {"probed", layer.isProbed}});
    }
    nlohmann::json anchors = nlohmann::json::array();
    for (const CurveAnchor& anchor : curves.anchors) {
        anchors.push_back({{"divergence", anchor.divergence}, {"loss", anchor.loss}});
    }
    return {{"layers", std::move(layers)},
            {"anchors", std::move(anchors)},
            {"complete", curves.isComplete},
            {"settled", curves.isSettled},
            {"dense_perplexity", curves.densePerplexity},
            {"dense_perplexity_text", curves.densePerplexityText},
            {"dense_perplexity_tokens", curves.densePerplexityTokens},
            {"other_bytes", curves.otherBytes}};
}

ModelCurves modelCurvesFromJson(const nlohmann::json& object) {
    ModelCurves curves;
    const nlohmann::json& layers = member(object, "layers");
    for (const nlohmann::json& entry : layers) {
        LayerCurve layer;
        layer.name = numberOf<std::string>(entry, "name");
        layer.kind = numberOf<std::string>(entry, "kind");
        layer.block = numberOf<std::int64_t>(entry, "block");
        layer.d1 = numberOf<std::int64_t>(entry, "d1");
        layer.d2 = numberOf<std::int64_t>(entry, "d2");
        layer.cost = numberOf<double>(entry, "cost");
        layer.isTried = numberOf<bool>(entry, "tried");
        layer.isProbed = numberOf<bool>(entry, "probed");
        for (const auto& [cr, error] :
             numberOf<std::vector<std::pair<double, double>>>(entry, "points")) {
            layer.points.push_back({cr, error});
        }
        if (layer.points.empty() || layer.d1 <= 0 || layer.d2 <= 0) {
            throw Error("a layer has no points or no size", "curves, " + layer.name,
                        "measure them again with this program");
        }
        curves.layers.push_back(std::move(layer));
    }
    const nlohmann::json& anchors = member(object, "anchors");
    for (const nlohmann::json& entry : anchors) {
        curves.anchors.push_back(
            {numberOf<double>(entry, "divergence"), numberOf<double>(entry, "loss")});
    }
    curves.isComplete = numberOf<bool>(object, "complete");
    curves.isSettled = numberOf<bool>(object, "settled");
    curves.densePerplexity = numberOf<double>(object, "dense_perplexity");
    curves.densePerplexityText = numberOf<std::string>(object, "dense_perplexity_text");
    curves.densePerplexityTokens = numberOf<std::int64_t>(object, "dense_perplexity_tokens");
    curves.otherBytes = numberOf<double>(object, "other_bytes");
    return curves;
}

}  // namespace cospadi
