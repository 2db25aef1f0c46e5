#include "core/allocation/curve_measurement.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "core/allocation/curve_grid.h"
#include "core/allocation/probe_text.h"
#include "core/allocation/stand_ins.h"
#include "core/allocation/trial.h"
#include "core/base/stopwatch.h"
#include "core/evaluation/divergence_probe.h"
#include "core/evaluation/perplexity.h"
#include "core/methods/method.h"

namespace cospadi {

namespace {

constexpr std::size_t kSampledBlocks = 4;
constexpr double kSaveSeconds = 3;
constexpr std::size_t kProbed = 0;  // of kLevelRatios
// One sequence of the knapsack's four: a quarter of its time.
constexpr std::int64_t kCurveProbeTokens = kProbeLength;

// A matrix, and what is to be solved of it.
struct CurveTask {
    const LayerInfo* layer = nullptr;
    std::vector<TrialSetting> settings;
    bool isProbed = false;
};

class CurveMeasurement {
  public:
    CurveMeasurement(const CurveProblem& problem, CurveStore& store,
                     const ProgressCallback& progress, const std::stop_token& stop)
        : m_problem(problem),
          m_store(store),
          m_progress(progress),
          m_stop(stop),
          m_layers(problem.model, problem.grams, problem.pool.threadCount()),
          m_probeText(problem.probeText.first(std::min<std::size_t>(
              problem.probeText.size(), static_cast<std::size_t>(kCurveProbeTokens)))),
          m_probeKey(probeTextKey(m_probeText, kProbeLength)),
          m_wholeKey(wholeTrialKey(problem.wholeText, kWholeLength, problem.layers)) {}

    bool run() {
        m_levels = levelTasks();
        m_rest = restTasks();
        m_total = 2;  // the whole model, twice
        for (const auto* tasks : {&m_levels, &m_rest}) {
            for (const CurveTask& task : *tasks) {
                m_total +=
                    static_cast<std::int64_t>(task.settings.size()) + (task.isProbed ? 1 : 0);
            }
        }
        m_missingAtFirst = missing();
        const bool done = work(m_levels) && tryWhole() && work(m_rest);
        m_store.save();
        return done;
    }

  private:
    TrialSetting trialAt(double cr) const { return {cr, m_problem.options.rho, kTrialIterations}; }

    bool isStorableAt(const LayerInfo& layer, double cr) const {
        MatrixOptions at = m_problem.options;
        at.cr = cr;
        return isStorable(at, layer.d1, layer.d2);
    }

    // Spread over the depth, the first and the last among them.
    std::vector<std::int64_t> sampledBlocks() const {
        std::set<std::int64_t> there;
        for (const LayerInfo& layer : m_problem.layers) {
            there.insert(layer.block);
        }
        const std::vector<std::int64_t> blocks(there.begin(), there.end());
        const std::size_t count = std::min(kSampledBlocks, blocks.size());
        std::vector<std::int64_t> sampled;
        for (std::size_t i = 0; i < count; ++i) {
            sampled.push_back(blocks[count > 1 ? i * (blocks.size() - 1) / (count - 1) : 0]);
        }
        return sampled;
    }

    bool isSampled(const LayerInfo& layer) const {
        const std::vector<std::int64_t> blocks = sampledBlocks();
        return std::find(blocks.begin(), blocks.end(), layer.block) != blocks.end();
    }

    std::vector<CurveTask> levelTasks() const {
        std::vector<CurveTask> tasks;
        for (const bool sampled : {true, false}) {
            for (const LayerInfo& layer : m_problem.layers) {
                CurveTask task{&layer, {}, isStorableAt(layer, kLevelRatios[kProbed])};
                for (const double cr : kLevelRatios) {
                    if (isStorableAt(layer, cr)) {
                        task.settings.push_back(trialAt(cr));
                    }
                }
                if (isSampled(layer) == sampled && !task.settings.empty()) {
                    tasks.push_back(std::move(task));
                }
            }
        }
        return tasks;
    }

    // Whole solves first: they move every prediction, the shapes only those far from the levels.
    std::vector<CurveTask> restTasks() const {
        std::vector<CurveTask> tasks;
        const std::vector<std::int64_t> blocks = sampledBlocks();
        const MatrixOptions& options = m_problem.options;
        // Sixty iterations of K-SVD take minutes where the trials take seconds.
        if (options.method->uses("iterations") && options.iterations != kTrialIterations &&
            options.solver == Solver::Fast) {
            for (const LayerInfo& layer : m_problem.layers) {
                const bool isInner = layer.block != blocks.front() && layer.block != blocks.back();
                if (isSampled(layer) && (isInner || blocks.size() < 3)) {
                    CurveTask task{&layer, {}, false};
                    for (const double cr : kLevelRatios) {
                        if (isStorableAt(layer, cr)) {
                            task.settings.push_back({cr, options.rho, options.iterations});
                        }
                    }
                    tasks.push_back(std::move(task));
                }
            }
        }
        for (const LayerInfo& layer : m_problem.layers) {
            if (isSampled(layer)) {
                CurveTask task{&layer, {}, false};
                for (const double cr : kShapeRatios) {
                    if (isStorableAt(layer, cr)) {
                        task.settings.push_back(trialAt(cr));
                    }
                }
                tasks.push_back(std::move(task));
            }
        }
        return tasks;
    }

    // False when cancelled.
    bool work(const std::vector<CurveTask>& tasks) {
        const auto group = 2 * static_cast<std::size_t>(m_problem.pool.threadCount());
        for (std::size_t first = 0; first < tasks.size(); first += group) {
            const std::size_t count = std::min(group, tasks.size() - first);
            std::vector<Eigen::MatrixXf> probed(count);
            std::vector<std::map<double, StoredWeightPtr>> solved(count);
            m_problem.pool.run(static_cast<std::int64_t>(count), [&](std::int64_t i) {
                const auto at = static_cast<std::size_t>(i);
                solveAll(tasks[first + at], probed[at], solved[at]);
            });
            for (std::size_t i = 0; i < count && !m_stop.stop_requested(); ++i) {
                const CurveTask& task = tasks[first + i];
                for (auto& [cr, weight] : solved[i]) {
                    m_trials[{task.layer->name, cr}] = std::move(weight);
                }
                if (task.isProbed) {
                    probe(*task.layer, probed[i]);
                }
            }
            if (m_stop.stop_requested()) {
                return false;
            }
            tell();
        }
        return true;
    }

    void solveAll(const CurveTask& task, Eigen::MatrixXf& probed,
                  std::map<double, StoredWeightPtr>& solved) {
        std::optional<TrialLayer> whole;
        for (const TrialSetting& at : task.settings) {
            const bool isForProbe = task.isProbed && at == trialAt(kLevelRatios[kProbed]) &&
                                    !m_store.divergence(task.layer->name, at, m_probeKey);
            const bool isForWhole = at.iterations == kTrialIterations && isLevel(at.cr) &&
                                    !m_store.wholeLoss(trialAt(at.cr), m_wholeKey);
            const bool isKnown = m_store.error(task.layer->name, at).has_value();
            if (m_stop.stop_requested() || (isKnown && !isForProbe)) {
                continue;
            }
            if (!whole) {
                whole = m_layers.of(*task.layer);
            }
            CompressedMatrix result =
                compressedOnTrial(*whole, m_problem.options, at.cr, at.iterations, m_stop);
            if (result.termination == Termination::Cancelled) {
                return;
            }
            m_store.setError(task.layer->name, at, errorOfTrial(result));
            if (isForProbe) {
                probed = result.weight->recomposed();
            }
            if (isForWhole) {
                solved[at.cr] = std::move(result.weight);
            }
        }
    }

    static bool isLevel(double cr) {
        return std::find(kLevelRatios.begin(), kLevelRatios.end(), cr) != kLevelRatios.end();
    }

    void probe(const LayerInfo& layer, const Eigen::MatrixXf& weight) {
        if (weight.size() == 0) {  // known
            return;
        }
        if (!m_probe) {
            m_probe.emplace(m_problem.model, m_problem.pool, m_probeText, kProbeLength);
        }
        m_store.setDivergence(layer.name, trialAt(kLevelRatios[kProbed]), m_probeKey,
                              m_probe->divergence(layer.name, weight));
    }

    // Every layer's trial of a ratio in the model at once. False when cancelled.
    bool tryWhole() {
        m_probe.reset();  // its memory
        std::optional<double> asItIs;
        for (const double cr : kLevelRatios) {
            if (m_store.wholeLoss(trialAt(cr), m_wholeKey)) {
                continue;
            }
            if (!asItIs) {
                asItIs = lossOnText();
            }
            if (!asItIs || !solveMissing(cr)) {
                return false;
            }
            std::optional<double> changed;
            {
                StandIns standIns(m_problem.model);
                for (const LayerInfo& layer : m_problem.layers) {
                    const auto trial = m_trials.find({layer.name, cr});
                    if (trial != m_trials.end()) {  // else it has no form at this ratio
                        standIns.add(layer.name, trial->second->makeLayer(0));
                    }
                }
                changed = lossOnText();
            }
            if (!changed) {
                return false;
            }
            m_store.setWholeLoss(trialAt(cr), m_wholeKey, *changed - *asItIs);
            tell();
        }
        m_trials.clear();
        return true;
    }

    // Trials whose errors were known, as their weights are not kept. False when cancelled.
    bool solveMissing(double cr) {
        std::vector<const LayerInfo*> missing;
        for (const LayerInfo& layer : m_problem.layers) {
            if (isStorableAt(layer, cr) && !m_trials.contains({layer.name, cr})) {
                missing.push_back(&layer);
            }
        }
        std::vector<StoredWeightPtr> weights(missing.size());
        m_problem.pool.run(static_cast<std::int64_t>(missing.size()), [&](std::int64_t i) {
            if (!m_stop.stop_requested()) {
                const auto at = static_cast<std::size_t>(i);
                weights[at] = compressedOnTrial(m_layers.of(*missing[at]), m_problem.options, cr,
                                                kTrialIterations, m_stop)
                                  .weight;
            }
        });
        for (std::size_t i = 0; i < missing.size(); ++i) {
            m_trials[{missing[i]->name, cr}] = std::move(weights[i]);
        }
        return !m_stop.stop_requested();
    }

    // Nats a token; nullopt when cancelled.
    std::optional<double> lossOnText() const {
        PerplexityOptions options;
        options.context = kWholeLength;
        const auto result = evaluatePerplexity(m_problem.model, m_problem.pool, m_problem.wholeText,
                                               options, {}, m_stop);
        return result ? std::optional(result->nllSum / static_cast<double>(result->tokensScored))
                      : std::nullopt;
    }

    void tell() {
        const double seconds = m_clock.seconds();
        if (seconds - m_saved > kSaveSeconds) {
            m_saved = seconds;
            m_store.save();  // where it cannot, this is measured again some day
        }
        if (m_progress) {
            // By what was measured in these seconds: what was known took none.
            const std::int64_t left = missing();
            const std::int64_t measured = m_missingAtFirst - left;
            m_progress({"curves", m_total - left, m_total, seconds,
                        measured > 0
                            ? seconds / static_cast<double>(measured) * static_cast<double>(left)
                            : -1});
        }
    }

    // Of what run() measures, the number that the store does not hold.
    std::int64_t missing() const {
        std::int64_t count = 0;
        for (const auto* tasks : {&m_levels, &m_rest}) {
            for (const CurveTask& task : *tasks) {
                const std::string& layer = task.layer->name;
                for (const TrialSetting& at : task.settings) {
                    count += m_store.error(layer, at) ? 0 : 1;
                }
                const TrialSetting probed = trialAt(kLevelRatios[kProbed]);
                count += task.isProbed && !m_store.divergence(layer, probed, m_probeKey) ? 1 : 0;
            }
        }
        for (const double cr : kLevelRatios) {
            count += m_store.wholeLoss(trialAt(cr), m_wholeKey) ? 0 : 1;
        }
        return count;
    }

    const CurveProblem& m_problem;
    CurveStore& m_store;
    const ProgressCallback& m_progress;
    const std::stop_token& m_stop;
    TrialLayers m_layers;
    std::span<const std::int32_t> m_probeText;
    std::string m_probeKey;
    std::string m_wholeKey;
    std::optional<DivergenceProbe> m_probe;
    std::map<std::pair<std::string, double>, StoredWeightPtr> m_trials;  // for the whole model
    std::vector<CurveTask> m_levels;
    std::vector<CurveTask> m_rest;
    std::int64_t m_total = 0;
    std::int64_t m_missingAtFirst = 0;
    double m_saved = 0;
    Stopwatch m_clock;
};

}  // namespace

bool measureCurves(const CurveProblem& problem, CurveStore& store, const ProgressCallback& progress,
                   const std::stop_token& stop) {
    return CurveMeasurement(problem, store, progress, stop).run();
}

}  // namespace cospadi
