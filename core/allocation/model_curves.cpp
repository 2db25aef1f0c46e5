#include "core/allocation/model_curves.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "core/allocation/curve_grid.h"
#include "core/allocation/curve_store.h"
#include "core/allocation/curve_tasks.h"
#include "core/allocation/kind_means.h"
#include "core/allocation/trial.h"

namespace cospadi {

namespace {

constexpr double kReference = kLevelRatios.front();  // that every matrix is tried at first
constexpr double kSmallestTold = 1e-5;               // as AllocationCurve
constexpr double kUsualSlope = 3;  // of ln e over CR, before any matrix was tried at two ratios

struct KnownLayer {
    const LayerInfo* info = nullptr;
    std::map<double, double> trials;  // ln e of the short schedule, by CR
    std::map<double, double> ends;    // ln (e of a whole solve / e of the trial), by CR
    std::optional<double> cost;       // ln a of the trial at the reference ratio
    bool isProbed = false;            // under these settings
};

double logOf(double error) { return std::log(std::max(error, kSmallestTold)); }

// Precondition: not empty.
std::map<double, double>::const_iterator nearestTo(double cr,
                                                   const std::map<double, double>& known) {
    return std::min_element(known.begin(), known.end(), [cr](const auto& a, const auto& b) {
        return std::abs(a.first - cr) < std::abs(b.first - cr);
    });
}

// ln a of KL = a e².
double logCost(double divergence, double error) {
    return std::log(std::max(divergence, 1e-9)) - 2 * logOf(error);
}

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
    // Of several texts the mean, of each the probe next to the reference ratio.
    std::map<std::string, std::map<double, double>> costs;
    for (const auto& [key, divergence] : tried.divergences) {
        const auto& [at, text] = key;
        const auto error = tried.errors.find(at);
        if (error != tried.errors.end() && at.rho == options.rho &&
            at.iterations == kTrialIterations) {
            costs[text][at.cr] = logCost(divergence, error->second);
        }
    }
    if (!costs.empty()) {
        double sum = 0;
        for (const auto& [text, ratios] : costs) {
            sum += nearestTo(kReference, ratios)->second;
        }
        known.cost = sum / static_cast<double>(costs.size());
        known.isProbed = true;
    } else if (const auto elsewhere = store.probeElsewhere(info.name)) {
        known.cost = logCost(elsewhere->second, elsewhere->first);
    }
    return known;
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
        for (const KnownLayer& layer : m_layers) {
            const std::string& kind = layer.info->kind;
            m_shapes.add(kind, shapeOf(layer));
            m_ends.add(kind, layer.ends);
        }
        addKinds(options, store);
    }

    // Whether of some kind that can be tried nothing is known yet: others say nothing of it.
    bool isTooLittle(const MatrixOptions& options) const {
        return m_allLevels.empty() || m_allCosts.empty() ||
               std::any_of(m_layers.begin(), m_layers.end(), [&](const KnownLayer& layer) {
                   const LayerInfo& info = *layer.info;
                   return isStorableAt(info, kReference, options) &&
                          !(m_levels.contains(info.kind) && m_costs.contains(info.kind));
               });
    }
    bool isSettled() const { return !m_ends.isEmpty(); }

    std::vector<LayerCurve> curves() const {
        std::vector<LayerCurve> curves;
        for (const KnownLayer& layer : m_layers) {
            const LayerInfo& info = *layer.info;
            LayerCurve curve{
                info.name,     info.kind, info.block, info.d1, info.d2, {}, !layer.trials.empty(),
                layer.isProbed};
            for (const double cr : m_ratios) {
                curve.points.push_back(
                    {cr, std::exp(trialAt(layer, cr) + endAt(info, cr)), costAt(layer, cr, true)});
            }
            curves.push_back(std::move(curve));
        }
        return curves;
    }

    // Σ a e² of the trials themselves: what a whole-model trial is compared with.
    double divergenceOfTrials(double cr) const {
        double sum = 0;
        for (const KnownLayer& layer : m_layers) {
            sum += costAt(layer, cr, false) * std::exp(2 * trialAt(layer, cr));
        }
        return sum;
    }

  private:
    // ln e at the reference ratio, of its own trial at it, or at whatever ratio there is one.
    static std::optional<double> levelOf(const KnownLayer& layer) {
        if (layer.trials.empty()) {
            return std::nullopt;
        }
        const auto nearest = nearestTo(kReference, layer.trials);
        return nearest->second + kUsualSlope * (kReference - nearest->first);
    }

    // ln e(cr) − ln e(reference) of the matrices that were tried at both.
    static std::map<double, double> shapeOf(const KnownLayer& layer) {
        std::map<double, double> shape;
        const auto reference = layer.trials.find(kReference);
        if (reference != layer.trials.end()) {
            for (const auto& [cr, error] : layer.trials) {
                shape[cr] = error - reference->second;
            }
        }
        return shape;
    }

    double shapeAt(const std::string& kind, double cr) const {
        return m_shapes.at(kind, cr).value_or(kUsualSlope * (cr - kReference));
    }

    double levelAt(const LayerInfo& info) const { return nearby(m_levels, m_allLevels, info); }

    double trialAt(const KnownLayer& layer, double cr) const {
        const LayerInfo& info = *layer.info;
        const double reference = levelAt(info);
        std::map<double, double> own;  // by how much its own trials lie above the shape
        for (const auto& [at, error] : layer.trials) {
            own[at] = error - reference - shapeAt(info.kind, at);
        }
        return reference + shapeAt(info.kind, cr) + interpolated(own, cr).value_or(0);
    }

    double endAt(const LayerInfo& info, double cr) const {
        return m_ends.between(info.kind, cr).value_or(0);
    }

    double logCostOf(const KnownLayer& layer) const {
        return layer.cost ? *layer.cost : nearby(m_costs, m_allCosts, *layer.info);
    }

    // Of a trial at the ratio; of a whole solve where its kind was solved.
    double costAt(const KnownLayer& layer, double cr, bool isEnd) const {
        const std::string& kind = layer.info->kind;
        const auto end = m_endCosts.find(kind);
        const double more = isEnd && end != m_endCosts.end()
                                ? *end->second.between(cr)
                                : m_trialCosts.between(kind, cr).value_or(0);
        return std::exp(logCostOf(layer) + more);
    }

    // ln of what all matrices of a kind cost at once at this setting, by what they cost one by one
    // at their errors; the mean over texts, nothing where it was not measured.
    std::optional<double> kindCost(std::string_view kind, const TrialSetting& at,
                                   const CurveStore& store) const {
        std::vector<LayerInfo> there;
        double sum = 0;
        for (const KnownLayer& layer : m_layers) {
            const auto error =
                layer.info->kind == kind ? store.error(layer.info->name, at) : std::nullopt;
            if (error) {
                there.push_back(*layer.info);
                sum += std::exp(logCostOf(layer) + 2 * logOf(*error));
            }
        }
        RatioMeans costs;
        for (const auto& [key, divergence] : store.layer(jointName(there)).divergences) {
            if (key.first == at) {
                costs.add(at.cr, std::log(std::max(divergence, 1e-9) / sum));
            }
        }
        return costs.at(at.cr);
    }

    void addKinds(const MatrixOptions& options, const CurveStore& store) {
        for (const std::string_view kind : kLayerKinds) {
            std::map<double, double> trials;
            for (const double cr : kLevelRatios) {
                if (const auto cost = kindCost(kind, {cr, options.rho, kTrialIterations}, store)) {
                    trials[cr] = *cost;
                }
                if (const auto cost = kindCost(kind, {cr, options.rho, options.iterations}, store);
                    cost && options.iterations != kTrialIterations) {
                    m_endCosts[std::string(kind)].add(cr, *cost);
                }
            }
            m_trialCosts.add(std::string(kind), trials);
        }
    }

    using ByBlock = std::map<double, double>;
    static double nearby(const std::map<std::string, ByBlock>& kinds, const ByBlock& all,
                         const LayerInfo& info) {
        const auto block = static_cast<double>(info.block);
        const auto own = kinds.find(info.kind);
        return own != kinds.end() ? *interpolated(own->second, block) : *interpolated(all, block);
    }

    std::vector<KnownLayer> m_layers;
    std::set<double> m_ratios;
    std::map<std::string, ByBlock> m_levels, m_costs;
    ByBlock m_allLevels, m_allCosts;
    KindMeans m_shapes, m_ends;  // errors
    KindMeans m_trialCosts;      // of all of a kind at once, by their sum
    std::map<std::string, RatioMeans> m_endCosts;
};

}  // namespace

AllocationCurve errorCurve(const LayerCurve& curve) {
    std::vector<CurvePoint> points;
    for (const LayerPoint& point : curve.points) {
        points.push_back({point.cr, point.error});
    }
    return AllocationCurve(std::move(points));
}

AllocationCurve costCurve(const LayerCurve& curve) {
    std::vector<CurvePoint> points;
    for (const LayerPoint& point : curve.points) {
        points.push_back({point.cr, point.error * std::sqrt(point.cost)});
    }
    return AllocationCurve(std::move(points));
}

ModelCurves estimateCurves(const std::vector<LayerInfo>& layers, const MatrixOptions& options,
                           const CurveStore& store, const std::string& wholeTrial) {
    ModelCurves result;
    const Estimate estimate(layers, options, store);
    if (estimate.isTooLittle(options)) {
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

}  // namespace cospadi
