#include "core/allocation/curve_measurement.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "core/allocation/curve_plan.h"
#include "core/allocation/curve_tasks.h"
#include "core/allocation/probe_text.h"
#include "core/allocation/stand_ins.h"
#include "core/allocation/trial.h"
#include "core/allocation/trial_batches.h"
#include "core/base/stopwatch.h"
#include "core/evaluation/divergence_probe.h"
#include "core/evaluation/perplexity.h"
#include "core/methods/method.h"

namespace cospadi {

namespace {

constexpr double kSaveSeconds = 3;
constexpr std::size_t kGroupSequences = 4;  // of the text of the whole

class CurveMeasurement {
  public:
    CurveMeasurement(const CurveProblem& problem, CurveStore& store,
                     const ProgressCallback& progress, const std::stop_token& stop)
        : m_problem(problem),
          m_store(store),
          m_progress(progress),
          m_stop(stop),
          m_layers(problem.model, problem.grams, problem.pool.threadCount()),
          m_probeText(firstSequence(problem.probeText)),
          m_groupText(problem.wholeText.first(std::min<std::size_t>(
              problem.wholeText.size(), kGroupSequences * static_cast<std::size_t>(kWholeLength)))),
          m_texts{probeTextKey(m_probeText, kProbeLength),
                  wholeTrialKey(problem.wholeText, kWholeLength, problem.layers),
                  probeTextKey(m_groupText, kWholeLength)} {}

    bool run() {
        begin(planOfCurves(m_problem.layers, m_problem.options));
        const bool done = work(m_plan.levels) && tryWhole() && tryGroups() && work(m_plan.shapes);
        m_store.save();
        return done;
    }

    bool probeAlone() {
        begin(planOfProbes(m_problem.layers, m_problem.options));
        const bool done = work(m_plan.levels);
        m_store.save();
        return done;
    }

  private:
    void begin(CurvePlan plan) {
        m_plan = std::move(plan);
        m_total = unitsOf(m_plan);
        m_missingAtFirst = missing();
    }

    std::int64_t missing() const {
        return missingUnits(m_plan, m_store, m_texts, m_problem.options);
    }

    // Tells after each that the calling thread has solved.
    template <typename Solve>
    void solveAndTell(std::size_t count, const Solve& solve) {
        const std::thread::id teller = std::this_thread::get_id();
        solveTogether(m_problem.pool, count, [&](std::size_t i) {
            solve(i);
            if (std::this_thread::get_id() == teller && !m_stop.stop_requested()) {
                tell();
            }
        });
    }

    TrialSetting trialAt(double cr) const { return cospadi::trialAt(cr, m_problem.options); }

    // False when cancelled.
    bool work(const std::vector<CurveTask>& tasks) {
        const auto layerOf = [&](std::size_t i) -> const LayerInfo& { return *tasks[i].layer; };
        for (std::size_t first = 0, count = 0; first < tasks.size(); first += count) {
            count = layersTogether(m_problem.pool, first, tasks.size(), layerOf);
            std::vector<Eigen::MatrixXf> probed(count);
            std::vector<std::map<double, StoredWeightPtr>> solved(count);
            solveAndTell(count,
                         [&](std::size_t i) { solveAll(tasks[first + i], probed[i], solved[i]); });
            for (std::size_t i = 0; i < count && !m_stop.stop_requested(); ++i) {
                const CurveTask& task = tasks[first + i];
                for (auto& [cr, weight] : solved[i]) {
                    m_solved[{task.layer->name, trialAt(cr)}] = std::move(weight);
                }
                if (task.isProbed) {
                    probe(*task.layer, probed[i]);
                }
                tell();
            }
            if (m_stop.stop_requested()) {
                return false;
            }
        }
        return true;
    }

    void solveAll(const CurveTask& task, Eigen::MatrixXf& probed,
                  std::map<double, StoredWeightPtr>& solved) {
        std::optional<TrialLayer> whole;
        for (const TrialSetting& at : task.settings) {
            const bool isForProbe = task.isProbed && at == trialAt(kProbedRatio) &&
                                    !m_store.divergence(task.layer->name, at, m_texts.probe);
            const bool isForWhole = at.iterations == kTrialIterations && isForAll(at.cr) &&
                                    !m_store.wholeLoss(trialAt(at.cr), m_texts.whole);
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

    bool isForAll(double cr) const {
        return std::find(m_plan.wholeRatios.begin(), m_plan.wholeRatios.end(), cr) !=
               m_plan.wholeRatios.end();
    }

    void probe(const LayerInfo& layer, const Eigen::MatrixXf& weight) {
        if (weight.size() == 0) {  // known
            return;
        }
        if (!m_probe) {
            m_probe.emplace(m_problem.model, m_problem.pool, m_probeText, kProbeLength);
        }
        m_store.setDivergence(layer.name, trialAt(kProbedRatio), m_texts.probe,
                              m_probe->divergence(layer.name, weight));
    }

    // Every layer's trial of a ratio in the model at once. False when cancelled.
    bool tryWhole() {
        m_probe.reset();  // its memory
        std::optional<double> asItIs;
        for (const double cr : m_plan.wholeRatios) {
            if (m_store.wholeLoss(trialAt(cr), m_texts.whole)) {
                continue;
            }
            if (!asItIs) {
                asItIs = lossOnText();
            }
            if (!asItIs || !solveMissing(m_problem.layers, trialAt(cr))) {
                return false;
            }
            std::optional<double> changed;
            {
                StandIns standIns(m_problem.model);
                for (const LayerInfo& layer : m_problem.layers) {
                    const auto trial = m_solved.find({layer.name, trialAt(cr)});
                    if (trial != m_solved.end()) {  // else it has no form at this ratio
                        standIns.add(layer.name, trial->second->makeLayer(0));
                    }
                }
                changed = lossOnText();
            }
            if (!changed) {
                return false;
            }
            m_store.setWholeLoss(trialAt(cr), m_texts.whole, *changed - *asItIs);
            tell();
        }
        return true;
    }

    // What matrices cost at once, on the text that the whole is tried on. False when cancelled.
    bool tryGroups() {
        std::optional<DivergenceProbe> probe;
        for (const GroupTask& task : m_plan.groups) {
            if (isKnown(task, m_store, m_texts)) {
                continue;
            }
            if (!solveMissing(task.layers, task.at)) {
                return false;
            }
            if (task.isProbed) {
                if (!probe) {
                    probe.emplace(m_problem.model, m_problem.pool, m_groupText, kWholeLength);
                }
                StandIns standIns(m_problem.model);
                for (const LayerInfo& layer : task.layers) {
                    standIns.add(layer.name, m_solved.at({layer.name, task.at})->makeLayer(0));
                }
                m_store.setDivergence(jointName(task.layers), task.at, m_texts.group,
                                      probe->divergence());
            }
            tell();
        }
        m_solved.clear();
        return true;
    }

    // Null when cancelled.
    StoredWeightPtr solvedAt(const LayerInfo& layer, const TrialSetting& at) {
        if (m_stop.stop_requested()) {
            return nullptr;
        }
        CompressedMatrix result =
            compressedOnTrial(m_layers.of(layer), m_problem.options, at.cr, at.iterations, m_stop);
        if (result.weight) {
            m_store.setError(layer.name, at, errorOfTrial(result));
        }
        return std::move(result.weight);
    }

    // Of those that have a form at the setting, what is not at hand: weights of which only the
    // error was known, too. False when cancelled.
    bool solveMissing(const std::vector<LayerInfo>& layers, const TrialSetting& at) {
        std::vector<const LayerInfo*> missing;
        for (const LayerInfo& layer : layers) {
            if (isStorableAt(layer, at.cr, m_problem.options) &&
                !m_solved.contains({layer.name, at})) {
                missing.push_back(&layer);
            }
        }
        std::vector<StoredWeightPtr> weights(missing.size());
        const auto layerOf = [&](std::size_t i) -> const LayerInfo& { return *missing[i]; };
        for (std::size_t first = 0, count = 0; first < missing.size(); first += count) {
            count = layersTogether(m_problem.pool, first, missing.size(), layerOf);
            solveAndTell(count, [&](std::size_t i) {
                weights[first + i] = solvedAt(*missing[first + i], at);
            });
            if (m_stop.stop_requested()) {
                return false;
            }
            tell();
        }
        for (std::size_t i = 0; i < missing.size(); ++i) {
            m_solved[{missing[i]->name, at}] = std::move(weights[i]);
        }
        return true;
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

    const CurveProblem& m_problem;
    CurveStore& m_store;
    const ProgressCallback& m_progress;
    const std::stop_token& m_stop;
    TrialLayers m_layers;
    std::span<const std::int32_t> m_probeText;
    std::span<const std::int32_t> m_groupText;
    CurveTexts m_texts;
    std::optional<DivergenceProbe> m_probe;
    // For the whole model, and for groups.
    std::map<std::pair<std::string, TrialSetting>, StoredWeightPtr> m_solved;
    CurvePlan m_plan;
    std::int64_t m_total = 0;
    std::int64_t m_missingAtFirst = 0;
    double m_saved = 0;
    Stopwatch m_clock;
};

}  // namespace

bool measureProbes(const CurveProblem& problem, CurveStore& store, const ProgressCallback& progress,
                   const std::stop_token& stop) {
    return CurveMeasurement(problem, store, progress, stop).probeAlone();
}

bool measureCurves(const CurveProblem& problem, CurveStore& store, const ProgressCallback& progress,
                   const std::stop_token& stop) {
    return CurveMeasurement(problem, store, progress, stop).run();
}

}  // namespace cospadi
