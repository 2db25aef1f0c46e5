#include "core/pipeline/allocation.h"

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>

#include "core/base/stopwatch.h"
#include "core/evaluation/divergence_probe.h"
#include "core/linalg/cpu_backend.h"
#include "core/methods/budget_choice.h"

namespace cospadi {

namespace {

constexpr double kRatioStep = 0.02;
constexpr double kSmallestError = 1e-5;
constexpr double kSmallestDivergence = 1e-7;

// ln e at the three trial ratios, ln λ.
struct Trial {
    std::array<double, 3> logError{};
    double logSensitivity = 0;
};

Trial between(const Trial& a, const Trial& b, double share) {
    Trial result;
    for (std::size_t i = 0; i < a.logError.size(); ++i) {
        result.logError[i] = std::lerp(a.logError[i], b.logError[i], share);
    }
    result.logSensitivity = std::lerp(a.logSensitivity, b.logSensitivity, share);
    return result;
}

double bytesOf(const MatrixOptions& options, const LayerInfo& layer) {
    return isSparse(options.method) ? sparseBudgetOf(options, layer.d1, layer.d2).totalBytes()
                                    : lowRankBudget(layer.d1, layer.d2, options.cr).totalBytes();
}

class Allocation {
  public:
    Allocation(const AllocationOptions& options, const std::vector<LayerInfo>& layers)
        : m_options(options), m_layers(layers) {
        const double cr = options.matrix.cr;
        m_ratios = {0.4 * cr, cr, std::min(1.8 * cr, options.largestRatio)};
    }

    // Layers of one kind in forward order, and which of them are tried.
    void choose() {
        std::map<std::string, std::vector<const LayerInfo*>> kinds;
        for (const LayerInfo& layer : m_layers) {
            kinds[layer.kind].push_back(&layer);
        }
        for (const auto& [kind, members] : kinds) {
            const auto count = static_cast<std::int64_t>(members.size());
            const std::int64_t tried = std::min(count, m_options.trialBlocks);
            for (std::int64_t i = 0; i < tried; ++i) {
                const std::int64_t at = tried == 1 ? 0 : i * (count - 1) / (tried - 1);
                m_tried.push_back(members[static_cast<std::size_t>(at)]);
            }
        }
    }

    bool runTrials(Model& model, ThreadPool& pool, const GramSet* grams,
                   std::span<const std::int32_t> ids, std::int64_t length,
                   const ProgressCallback& progress, const std::stop_token& stop) {
        const Stopwatch clock;
        DivergenceProbe probe(model, pool, ids, length);
        const auto total = static_cast<std::int64_t>(m_tried.size());
        const std::int64_t group = 2L * pool.threadCount();
        for (std::int64_t first = 0; first < total; first += group) {
            const std::int64_t count = std::min(group, total - first);
            std::vector<Eigen::MatrixXf> changed(static_cast<std::size_t>(count));
            pool.run(count, [&](std::int64_t i) {
                if (!stop.stop_requested()) {
                    changed[static_cast<std::size_t>(i)] =
                        tryLayer(model, grams, *m_tried[static_cast<std::size_t>(first + i)], stop);
                }
            });
            for (std::int64_t i = 0; i < count; ++i) {
                if (stop.stop_requested()) {
                    return false;
                }
                const LayerInfo& layer = *m_tried[static_cast<std::size_t>(first + i)];
                Trial& trial = m_trials.at(layer.name);
                const double divergence =
                    probe.divergence(layer.name, changed[static_cast<std::size_t>(i)]);
                trial.logSensitivity =
                    std::log(std::max(divergence, kSmallestDivergence)) - 2 * trial.logError[1];
            }
            if (progress) {
                const auto done = static_cast<double>(first + count);
                progress({"allocation", first + count, total, clock.seconds(),
                          clock.seconds() / done * (static_cast<double>(total) - done)});
            }
        }
        return true;
    }

    std::map<std::string, AllocatedRatio> share() const {
        std::vector<std::vector<BudgetChoice>> items;
        std::vector<std::vector<AllocatedRatio>> choices;
        double budget = 0;
        for (const LayerInfo& layer : m_layers) {
            const Trial trial = trialOf(layer);
            MatrixOptions at = m_options.matrix;
            budget += bytesOf(at, layer);
            items.emplace_back();
            choices.emplace_back();
            for (double cr = m_options.smallestRatio; cr < m_options.largestRatio + 1e-9;
                 cr += kRatioStep) {
                at.cr = cr;
                const double error = errorAt(trial, cr);
                const double sensitivity = std::exp(trial.logSensitivity);
                items.back().push_back({bytesOf(at, layer), sensitivity * error * error});
                choices.back().push_back({cr, sensitivity, error});
            }
        }
        const std::vector<std::size_t> chosen = chooseWithinBudget(items, budget);
        std::map<std::string, AllocatedRatio> result;
        for (std::size_t i = 0; i < m_layers.size(); ++i) {
            result[m_layers[i].name] = choices[i][chosen[i]];
        }
        return result;
    }

  private:
    // The weight as compressed at the middle ratio.
    Eigen::MatrixXf tryLayer(const Model& model, const GramSet* grams, const LayerInfo& layer,
                             const std::stop_token& stop) {
        CpuBackend backend(1);
        std::optional<Whitening> whitening;
        if (grams != nullptr) {
            whitening.emplace(grams->gram(layer.gramKey), layer.name);
        }
        const Eigen::MatrixXf weight = model.weight(layer.name);
        Trial trial;
        Eigen::MatrixXf middle = weight;
        for (std::size_t i = 0; i < m_ratios.size(); ++i) {
            MatrixOptions at = m_options.matrix;
            at.cr = m_ratios[i];
            at.iterations = m_options.trialIterations;
            const CompressedMatrix result =
                compressMatrix(backend, weight, whitening ? &*whitening : nullptr, at, {}, stop);
            if (result.termination == Termination::Cancelled) {
                return middle;
            }
            trial.logError[i] = std::log(std::max(result.relativeError, kSmallestError));
            if (i == 1) {
                middle = recompose(result.factors);
            }
        }
        const std::scoped_lock lock(m_mutex);
        m_trials[layer.name] = trial;
        return middle;
    }

    // Between the nearest blocks of the same kind that were tried.
    Trial trialOf(const LayerInfo& layer) const {
        const LayerInfo* before = nullptr;
        const LayerInfo* after = nullptr;
        for (const LayerInfo* tried : m_tried) {
            if (tried->kind != layer.kind) {
                continue;
            }
            if (tried->block <= layer.block) {
                before = tried;
            } else if (after == nullptr) {
                after = tried;
            }
        }
        if (before == nullptr || after == nullptr) {
            return m_trials.at((before != nullptr ? before : after)->name);
        }
        return between(m_trials.at(before->name), m_trials.at(after->name),
                       static_cast<double>(layer.block - before->block) /
                           static_cast<double>(after->block - before->block));
    }

    // ln e = a + b ln CR + c CR through the three trials: a power law for small ratios, exponential
    // growth for large ones, and no kink for the knapsack to sit in.
    double errorAt(const Trial& trial, double cr) const {
        Eigen::Matrix3d basis;
        Eigen::Vector3d values;
        for (int i = 0; i < 3; ++i) {
            const double ratio = m_ratios[static_cast<std::size_t>(i)];
            basis.row(i) << 1, std::log(ratio), ratio;
            values(i) = trial.logError[static_cast<std::size_t>(i)];
        }
        const Eigen::Vector3d fit = basis.partialPivLu().solve(values);
        return std::exp(fit(0) + fit(1) * std::log(cr) + fit(2) * cr);
    }

    const AllocationOptions& m_options;
    const std::vector<LayerInfo>& m_layers;
    std::array<double, 3> m_ratios{};
    std::vector<const LayerInfo*> m_tried;
    std::map<std::string, Trial> m_trials;
    std::mutex m_mutex;
};

}  // namespace

std::optional<std::map<std::string, AllocatedRatio>> allocateRatios(
    Model& model, ThreadPool& pool, const GramSet* grams, const std::vector<LayerInfo>& layers,
    std::span<const std::int32_t> ids, std::int64_t length, const AllocationOptions& options,
    const ProgressCallback& progress, const std::stop_token& stop) {
    Allocation allocation(options, layers);
    allocation.choose();
    if (!allocation.runTrials(model, pool, grams, ids, length, progress, stop)) {
        return std::nullopt;
    }
    return allocation.share();
}

}  // namespace cospadi
