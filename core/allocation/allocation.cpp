#include "core/allocation/allocation.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "core/allocation/allocation_curve.h"
#include "core/allocation/allocation_progress.h"
#include "core/allocation/budget_choice.h"
#include "core/evaluation/divergence_probe.h"

namespace cospadi {

namespace {

constexpr std::array kTrialFactors = {0.5, 0.75, 1.0, 1.25,
                                      1.6};  // times the ratio that is asked for
constexpr std::size_t kUniform = 2;          // of them: the ratio itself
constexpr double kRatioStep = 0.01;
constexpr double kLargestLoss = 2;  // times the mean error at the uniform ratio
constexpr int kHalvings = 2;

struct LayerTrial {
    std::vector<double> errors;  // at every trial ratio
    Eigen::MatrixXf uniform;     // the weight as compressed at the ratio that is asked for, …
    Eigen::MatrixXf worst;       // … and at the largest one; both only until they are probed
};

// Layers of the model that others stand in for, until this goes.
class StandIns {
  public:
    explicit StandIns(Model& model) : m_model(model) {}
    ~StandIns() {
        for (auto& [name, layer] : m_own) {
            m_model.replaceLayer(name, std::move(layer));
        }
    }
    StandIns(const StandIns&) = delete;
    StandIns& operator=(const StandIns&) = delete;

    void add(const std::string& name, std::unique_ptr<LinearLayer> layer) {
        m_own.emplace_back(name, m_model.replaceLayer(name, std::move(layer)));
    }

  private:
    Model& m_model;
    std::vector<std::pair<std::string, std::unique_ptr<LinearLayer>>> m_own;
};

class Allocation {
  public:
    Allocation(Model& model, ThreadPool& pool, const GramSet* grams,
               const std::vector<LayerInfo>& layers, std::span<const std::int32_t> ids,
               std::int64_t length, const AllocationOptions& options,
               const ProgressCallback& progress, const std::stop_token& stop)
        : m_model(model),
          m_pool(pool),
          m_grams(grams),
          m_layers(layers),
          m_options(options),
          m_stop(stop),
          m_probe(model, pool, ids, length),
          m_progress(static_cast<std::int64_t>(layers.size() * (kTrialFactors.size() + 2 + 2)),
                     progress) {
        for (const double factor : kTrialFactors) {
            m_ratios.push_back(std::min(factor * options.matrix.cr, options.largestRatio));
        }
    }

    std::optional<AllocationResult> run() {
        if (!measureCurves()) {
            return std::nullopt;
        }
        AllocationResult result;
        const std::optional<double> uniform = divergenceAt(uniformRatios());
        if (!uniform) {
            return std::nullopt;
        }
        result.uniformDivergence = *uniform;
        const Ratios chosen = chooseRatios();
        for (const LayerInfo& layer : m_layers) {
            const AllocationCurve& curve = m_curves.at(layer.name);
            result.predictedDivergence += curve.divergenceOf(curve.errorAt(chosen.at(layer.name)));
        }
        Ratios ratios = chosen;
        for (int halving = 0;; ++halving) {
            const std::optional<double> divergence = divergenceAt(ratios);
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
            const AllocationCurve& curve = m_curves.at(layer.name);
            const double cr = ratios.at(layer.name);
            const double error = curve.errorAt(cr);
            result.ratios[layer.name] = {cr, error, curve.divergenceOf(error)};
        }
        return result;
    }

  private:
    using Ratios = std::map<std::string, double>;

    // False when cancelled.
    bool measureCurves() {
        const auto total = static_cast<std::int64_t>(m_layers.size());
        const std::int64_t group = 2L * m_pool.threadCount();
        for (std::int64_t first = 0; first < total; first += group) {
            const std::int64_t count = std::min(group, total - first);
            std::vector<LayerTrial> trials(static_cast<std::size_t>(count));
            m_pool.run(count, [&](std::int64_t i) {
                tryLayer(m_layers[static_cast<std::size_t>(first + i)],
                         trials[static_cast<std::size_t>(i)]);
            });
            for (std::int64_t i = 0; i < count; ++i) {
                if (m_stop.stop_requested()) {
                    return false;
                }
                probe(m_layers[static_cast<std::size_t>(first + i)],
                      trials[static_cast<std::size_t>(i)]);
            }
        }
        return true;
    }

    void tryLayer(const LayerInfo& layer, LayerTrial& trial) {
        const TrialLayer whole = trialLayer(m_model, m_grams, layer);
        for (std::size_t i = 0; i < m_ratios.size() && !m_stop.stop_requested(); ++i) {
            const CompressedMatrix result = compressed(whole, m_ratios[i]);
            if (result.termination == Termination::Cancelled) {
                return;
            }
            trial.errors.push_back(result.relativeError);
            if (i == kUniform) {
                trial.uniform = result.weight->recomposed();
            } else if (i + 1 == m_ratios.size()) {
                trial.worst = result.weight->recomposed();
            }
            m_progress.advance(1);
        }
    }

    void probe(const LayerInfo& layer, const LayerTrial& trial) {
        std::vector<CurvePoint> points;
        for (std::size_t i = 0; i < m_ratios.size(); ++i) {
            points.push_back({m_ratios[i], trial.errors[i]});
        }
        AllocationCurve curve(std::move(points));
        curve.setDivergences(trial.errors[kUniform], m_probe.divergence(layer.name, trial.uniform),
                             trial.errors.back(), m_probe.divergence(layer.name, trial.worst));
        m_curves.emplace(layer.name, std::move(curve));
        m_progress.advance(2);
    }

    CompressedMatrix compressed(const TrialLayer& layer, double cr) const {
        return compressedOnTrial(layer, m_options.matrix, cr, m_options.trialIterations, m_stop);
    }

    Ratios uniformRatios() const {
        Ratios ratios;
        for (const LayerInfo& layer : m_layers) {
            ratios[layer.name] = m_options.matrix.cr;
        }
        return ratios;
    }

    Ratios chooseRatios() const {
        double mean = 0;
        for (const LayerInfo& layer : m_layers) {
            mean += m_curves.at(layer.name).errorAt(m_options.matrix.cr);
        }
        mean /= static_cast<double>(m_layers.size());
        std::vector<std::vector<BudgetChoice>> items;
        std::vector<std::vector<double>> ratios;
        double budget = 0;
        for (const LayerInfo& layer : m_layers) {
            const AllocationCurve& curve = m_curves.at(layer.name);
            MatrixOptions at = m_options.matrix;
            budget += budgetBytes(at, layer.d1, layer.d2);
            const double bound = std::max(kLargestLoss * mean, curve.errorAt(at.cr));
            items.emplace_back();
            ratios.emplace_back();
            const auto offer = [&](double cr) {
                const double error = curve.errorAt(cr);
                at.cr = cr;
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
        Ratios result;
        for (std::size_t i = 0; i < m_layers.size(); ++i) {
            result[m_layers[i].name] = ratios[i][chosen[i]];
        }
        return result;
    }

    // Half-way to the uniform ratio. Bytes are linear in the ratio, so that theirs stay within the
    // budget but for what is rounded down.
    Ratios between(const Ratios& ratios) const {
        Ratios result;
        for (const auto& [name, cr] : ratios) {
            result[name] = (cr + m_options.matrix.cr) / 2;
        }
        return result;
    }

    // Of the model with all layers at these ratios. nullopt when cancelled.
    std::optional<double> divergenceAt(const Ratios& ratios) {
        std::vector<std::unique_ptr<LinearLayer>> results(m_layers.size());
        m_pool.run(static_cast<std::int64_t>(m_layers.size()), [&](std::int64_t i) {
            if (!m_stop.stop_requested()) {
                const LayerInfo& layer = m_layers[static_cast<std::size_t>(i)];
                const CompressedMatrix result =
                    compressed(trialLayer(m_model, m_grams, layer), ratios.at(layer.name));
                if (result.termination != Termination::Cancelled) {
                    results[static_cast<std::size_t>(i)] = result.weight->makeLayer(0);
                }
                m_progress.advance(1);
            }
        });
        if (m_stop.stop_requested()) {
            return std::nullopt;
        }
        StandIns standIns(m_model);
        for (std::size_t i = 0; i < m_layers.size(); ++i) {
            standIns.add(m_layers[i].name, std::move(results[i]));
        }
        return m_probe.divergence();
    }

    Model& m_model;
    ThreadPool& m_pool;
    const GramSet* m_grams;
    const std::vector<LayerInfo>& m_layers;
    const AllocationOptions& m_options;
    const std::stop_token& m_stop;
    DivergenceProbe m_probe;
    std::vector<double> m_ratios;
    std::map<std::string, AllocationCurve> m_curves;
    // Every trial, two probes a layer, and the whole at the uniform ratio and at the chosen ones.
    AllocationProgress m_progress;
};

}  // namespace

std::optional<AllocationResult> allocateRatios(
    Model& model, ThreadPool& pool, const GramSet* grams, const std::vector<LayerInfo>& layers,
    std::span<const std::int32_t> ids, std::int64_t length, const AllocationOptions& options,
    const ProgressCallback& progress, const std::stop_token& stop) {
    return Allocation(model, pool, grams, layers, ids, length, options, progress, stop).run();
}

}  // namespace cospadi
