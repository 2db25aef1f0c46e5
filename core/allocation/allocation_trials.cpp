#include "core/allocation/allocation_trials.h"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <utility>

#include "core/allocation/ratio_limits.h"
#include "core/allocation/rho_choice.h"
#include "core/allocation/stand_ins.h"
#include "core/allocation/trial_batches.h"

namespace cospadi {

namespace {

// Times the ratio that is asked for.
constexpr std::array<double, AllocationOptions::kCurveSolves> kTrialFactors = {0.5, 0.75, 1.0, 1.25,
                                                                               1.6};
constexpr std::size_t kUniform = 2;  // of them: the ratio itself

// The uniform ratio is always among them, whatever bounds the larger ones.
std::vector<double> trialRatios(const AllocationOptions& options, const LayerInfo& layer) {
    const double cr = options.matrix.cr;
    const double most = std::min(std::max(options.largestRatio, (1 + cr) / 2),
                                 storableRatios(options.matrix, layer).most);
    std::vector<double> ratios;
    for (const double factor : kTrialFactors) {
        ratios.push_back(std::min(factor * cr, most));
    }
    return ratios;
}

std::map<std::string, std::vector<double>> trialRatios(const AllocationOptions& options,
                                                       const std::vector<LayerInfo>& layers) {
    std::map<std::string, std::vector<double>> ratios;
    for (const LayerInfo& layer : layers) {
        ratios[layer.name] = trialRatios(options, layer);
    }
    return ratios;
}

}  // namespace

// The weight as compressed at one of the ratios, by the ρ whose error is least there.
struct AllocationTrials::BestTrial {
    Eigen::MatrixXf weight;  // empty where the error was known before
    double rho = 0;
    double error = std::numeric_limits<double>::infinity();

    void offer(const CompressedMatrix& trial, double triedRho) {
        if (errorOfTrial(trial) < error) {
            error = errorOfTrial(trial);
            rho = triedRho;
            weight = trial.weight->recomposed();
        }
    }
    void offer(double known, double triedRho) {
        if (known < error) {
            error = known;
            rho = triedRho;
            weight.resize(0, 0);
        }
    }
};

struct AllocationTrials::LayerTrial {
    std::vector<double> rhos;
    std::vector<std::vector<double>> errors;  // of every ρ, at every trial ratio
    BestTrial uniform;                        // at the ratio that is asked for, …
    BestTrial worst;  // … and at the largest one; both only until they are probed
};

AllocationTrials::AllocationTrials(Model& model, ThreadPool& pool, const GramSet* grams,
                                   const std::vector<LayerInfo>& layers,
                                   std::span<const std::int32_t> ids, std::int64_t length,
                                   const AllocationOptions& options,
                                   const ProgressCallback& progress, const std::stop_token& stop)
    : m_model(model),
      m_pool(pool),
      m_trialLayers(model, grams, pool.threadCount(), options.outputs),
      m_inputTokens(grams != nullptr ? grams->fittedTokens() : 0),
      m_layers(layers),
      m_options(options),
      m_stop(stop),
      m_probe(model, pool, ids, length),
      m_text(probeTextKey(ids, length)),
      m_ratios(trialRatios(options, layers)),
      m_progress(stepsOf(), progress) {}

std::vector<double> AllocationTrials::rhosOf(const LayerInfo& layer) const {
    return m_options.rhos.empty()
               ? std::vector<double>{m_options.matrix.rho}
               : storableRhos(m_options.rhos, m_options.matrix, layer, m_ratios.at(layer.name));
}

// Every trial, two probes a layer, and the whole at the uniform ratio and at the chosen ones.
std::int64_t AllocationTrials::stepsOf() const {
    std::size_t steps = 0;
    for (const LayerInfo& layer : m_layers) {
        steps += rhosOf(layer).size() * kTrialFactors.size() + 2 + 2;
    }
    return static_cast<std::int64_t>(steps);
}

bool AllocationTrials::measureCurves() {
    const auto layerOf = [this](std::size_t i) -> const LayerInfo& { return m_layers[i]; };
    for (std::size_t first = 0, count = 0; first < m_layers.size(); first += count) {
        count = layersTogether(m_pool, first, m_layers.size(), layerOf);
        std::vector<LayerTrial> trials(count);
        solveTogether(m_pool, count,
                      [&](std::size_t i) { tryLayer(m_layers[first + i], trials[i]); });
        for (std::size_t i = 0; i < count; ++i) {
            if (m_stop.stop_requested() || !probe(m_layers[first + i], trials[i])) {
                return false;
            }
        }
        if (m_options.curves != nullptr) {
            m_options.curves->save();  // where it cannot, this is measured again some day
        }
    }
    return true;
}

void AllocationTrials::tryLayer(const LayerInfo& layer, LayerTrial& trial) {
    std::optional<TrialLayer> whole;  // read where something is to be solved
    const std::vector<double>& ratios = m_ratios.at(layer.name);
    trial.rhos = rhosOf(layer);
    for (const double rho : trial.rhos) {
        trial.errors.emplace_back();
        for (std::size_t i = 0; i < ratios.size() && !m_stop.stop_requested(); ++i) {
            BestTrial* probed = i == kUniform            ? &trial.uniform
                                : i + 1 == ratios.size() ? &trial.worst
                                                         : nullptr;
            const TrialSetting at = settingOf(ratios[i], rho);
            const std::optional<double> known = knownError(layer, at);
            if (known) {
                trial.errors.back().push_back(*known);
                if (probed != nullptr) {
                    probed->offer(*known, rho);
                }
            } else {
                if (!whole) {
                    whole = m_trialLayers.of(layer);
                }
                const CompressedMatrix result = compressed(*whole, ratios[i], rho);
                if (result.termination == Termination::Cancelled) {
                    return;
                }
                trial.errors.back().push_back(errorOfTrial(result));
                if (probed != nullptr) {
                    probed->offer(result, rho);
                }
                if (m_options.curves != nullptr) {
                    m_options.curves->setError(layer.name, at, errorOfTrial(result));
                }
            }
            m_progress.advance(1);
        }
    }
}

// False when cancelled.
bool AllocationTrials::probe(const LayerInfo& layer, const LayerTrial& trial) {
    const std::vector<double>& ratios = m_ratios.at(layer.name);
    std::vector<RhoCurve> curves;
    for (std::size_t r = 0; r < trial.rhos.size(); ++r) {
        std::vector<CurvePoint> points;
        for (std::size_t i = 0; i < ratios.size(); ++i) {
            points.push_back({ratios[i], trial.errors[r][i]});
        }
        curves.push_back({trial.rhos[r], AllocationCurve(std::move(points))});
    }
    if (m_options.outputs != nullptr) {
        const TrialLayer whole = m_trialLayers.of(layer);
        const double cost = expectedLoss(whole);
        RhoCurves envelope(std::move(curves));
        const auto costOf = [&](double error) { return cost * error * error; };
        envelope.setDivergences(trial.uniform.error, costOf(trial.uniform.error), trial.worst.error,
                                costOf(trial.worst.error));
        m_curves.emplace(layer.name, std::move(envelope));
        m_progress.advance(2);
        return true;
    }
    const auto uniform = divergenceOf(layer, trial.uniform, ratios[kUniform]);
    const auto worst = divergenceOf(layer, trial.worst, ratios.back());
    if (!uniform || !worst) {
        return false;
    }
    RhoCurves envelope(std::move(curves));
    envelope.setDivergences(trial.uniform.error, *uniform, trial.worst.error, *worst);
    m_curves.emplace(layer.name, std::move(envelope));
    m_progress.advance(2);
    return true;
}

// a of KL = a e²: nats a token at an error of 1 in both metrics.
double AllocationTrials::expectedLoss(const TrialLayer& layer) const {
    const double norm =
        outputNorm(layer.weight, layer.whitening ? &*layer.whitening : nullptr, *layer.outputs);
    return layer.outputs->weight * norm * norm / (2 * static_cast<double>(m_inputTokens));
}

// nullopt when cancelled.
std::optional<double> AllocationTrials::divergenceOf(const LayerInfo& layer, const BestTrial& trial,
                                                     double cr) {
    const TrialSetting at = settingOf(cr, trial.rho);
    if (m_options.curves != nullptr) {
        if (const auto known = m_options.curves->divergence(layer.name, at, m_text)) {
            return known;
        }
    }
    Eigen::MatrixXf again;
    if (trial.weight.size() == 0) {
        const CompressedMatrix solved = compressed(m_trialLayers.of(layer), cr, trial.rho);
        if (solved.termination == Termination::Cancelled) {
            return std::nullopt;
        }
        again = solved.weight->recomposed();
    }
    const double divergence =
        m_probe.divergence(layer.name, trial.weight.size() == 0 ? again : trial.weight);
    if (m_options.curves != nullptr) {
        m_options.curves->setDivergence(layer.name, at, m_text, divergence);
    }
    return divergence;
}

TrialSetting AllocationTrials::settingOf(double cr, double rho) const {
    return {cr, rho, m_options.trialIterations};
}

std::optional<double> AllocationTrials::knownError(const LayerInfo& layer,
                                                   const TrialSetting& at) const {
    return m_options.curves != nullptr ? m_options.curves->error(layer.name, at) : std::nullopt;
}

CompressedMatrix AllocationTrials::compressed(const TrialLayer& layer, double cr,
                                              double rho) const {
    MatrixOptions at = m_options.matrix;
    at.rho = rho;
    return compressedOnTrial(layer, at, cr, m_options.trialIterations, m_stop);
}

std::optional<double> AllocationTrials::divergenceAt(const TrialRatios& ratios) {
    std::vector<std::unique_ptr<LinearLayer>> results(m_layers.size());
    m_pool.run(static_cast<std::int64_t>(m_layers.size()), [&](std::int64_t i) {
        if (!m_stop.stop_requested()) {
            const LayerInfo& layer = m_layers[static_cast<std::size_t>(i)];
            const double cr = ratios.at(layer.name);
            const CompressedMatrix result =
                compressed(m_trialLayers.of(layer), cr, m_curves.at(layer.name).rhoAt(cr));
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

}  // namespace cospadi
