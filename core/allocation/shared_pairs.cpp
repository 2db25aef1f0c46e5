#include "core/allocation/shared_pairs.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "core/allocation/allocation_progress.h"
#include "core/allocation/trial.h"
#include "core/base/error.h"
#include "core/linalg/spectrum.h"
#include "core/linalg/whitenings_by_key.h"
#include "core/methods/layer_groups.h"

namespace cospadi {

namespace {

constexpr double kNoGain = 1e-12;  // below which an exchange is rounding

// Σ_{r > rank} σ_r² / Σ σ_r² of a matrix of which factors with (1 − γ) d1 d2 numbers are stored.
double tail(const Eigen::MatrixXf& whitened, double cr) {
    const auto d1 = static_cast<double>(whitened.rows());
    const auto d2 = static_cast<double>(whitened.cols());
    const std::vector<double> values = singularValues(whitened);
    const auto rank =
        std::min(values.size(), static_cast<std::size_t>((1 - cr) * d1 * d2 / (d1 + d2)));
    double all = 0;
    double left = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        all += values[i] * values[i];
        left += i < rank ? 0 : values[i] * values[i];
    }
    return all > 0 ? left / all : 0;
}

Eigen::MatrixXf whitened(const TrialLayer& layer, const std::string& name) {
    if (!layer.weight.allFinite()) {
        throw Error("the weight holds NaN or infinite values", name, "check the model file");
    }
    return layer.whitening ? layer.whitening->whitenedFromOriginal(layer.weight) : layer.weight;
}

struct LoneLayer {
    double squaredError = 0;
    double norm = 0;  // ‖L W‖
};

class PairEstimate {
  public:
    PairEstimate(const SharedPairsProblem& problem, const std::vector<PairGain>& candidates)
        : m_problem(problem), m_trials(problem.model, problem.grams, problem.pool.threadCount()) {
        for (const PairGain& pair : candidates) {
            m_means.expect(gramsOf(pair.first, pair.second));
        }
    }

    // What the mean Gram of two layers follows from: q, k and v of two blocks have the same.
    std::string gramsOf(std::size_t first, std::size_t second) const {
        return m_problem.layers[first].gramKey + '\n' + m_problem.layers[second].gramKey;
    }

    LoneLayer alone(std::size_t place) {
        const LayerInfo& layer = m_problem.layers[place];
        const Eigen::MatrixXf w = whitened(m_trials.of(layer), layer.name);
        return {tail(w, m_problem.cr), static_cast<double>(w.norm())};
    }

    double together(std::size_t first, std::size_t second, const LoneLayer& one,
                    const LoneLayer& other) {
        const LayerInfo& a = m_problem.layers[first];
        const LayerInfo& b = m_problem.layers[second];
        Eigen::MatrixXf both(a.d1, a.d2 + b.d2);
        both << m_problem.model.weight(a.name) / static_cast<float>(std::max(one.norm, 1e-30)),
            m_problem.model.weight(b.name) / static_cast<float>(std::max(other.norm, 1e-30));
        if (m_problem.grams != nullptr) {
            const auto make = [&] {
                const Eigen::MatrixXd mean = (m_problem.grams->gram(a.gramKey, GramShare::Fitted) +
                                              m_problem.grams->gram(b.gramKey, GramShare::Fitted)) /
                                             2;
                return Whitening(mean, a.name);
            };
            both = m_means.of(gramsOf(first, second), make).whitenedFromOriginal(both);
        }
        return 2 * tail(both, m_problem.cr);
    }

  private:
    const SharedPairsProblem& m_problem;
    TrialLayers m_trials;
    WhiteningsByKey m_means;
};

// Places in `candidates`, those of the same Grams one behind the other, so that few of their means
// have to be kept.
std::vector<std::size_t> byGrams(const PairEstimate& estimate,
                                 const std::vector<PairGain>& candidates) {
    std::vector<std::pair<std::string, std::size_t>> keys;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        keys.emplace_back(estimate.gramsOf(candidates[i].first, candidates[i].second), i);
    }
    std::sort(keys.begin(), keys.end());
    std::vector<std::size_t> order;
    for (const auto& key : keys) {
        order.push_back(key.second);
    }
    return order;
}

std::vector<std::size_t> sharingLayers(const std::vector<LayerInfo>& layers) {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < layers.size(); ++i) {
        if (sharesBetweenBlocks(layers[i])) {
            places.push_back(i);
        }
    }
    return places;
}

std::vector<PairGain> candidatesOf(const std::vector<LayerInfo>& layers,
                                   const std::vector<std::size_t>& places) {
    std::vector<PairGain> pairs;
    for (std::size_t i = 0; i < places.size(); ++i) {
        for (std::size_t j = i + 1; j < places.size(); ++j) {
            const LayerInfo& a = layers[places[i]];
            const LayerInfo& b = layers[places[j]];
            if (a.kind == b.kind && a.d1 == b.d1 && std::abs(b.block - a.block) <= kFarthestPair) {
                pairs.push_back({places[i], places[j], 0});
            }
        }
    }
    return pairs;
}

bool meet(const PairGain& a, const PairGain& b) {
    return a.first == b.first || a.first == b.second || a.second == b.first || a.second == b.second;
}

double gainOf(const std::vector<PairGain>& pairs) {
    double sum = 0;
    for (const PairGain& pair : pairs) {
        sum += pair.gain;
    }
    return sum;
}

// The candidates that meet none of the pairs, largest gains first, added to them.
void fill(std::vector<PairGain>& pairs, const std::vector<PairGain>& candidates) {
    std::set<std::size_t> taken;
    for (const PairGain& pair : pairs) {
        taken.insert({pair.first, pair.second});
    }
    for (const PairGain& pair : candidates) {
        if (!taken.contains(pair.first) && !taken.contains(pair.second)) {
            taken.insert({pair.first, pair.second});
            pairs.push_back(pair);
        }
    }
}

}  // namespace

std::vector<PairGain> disjointPairs(std::vector<PairGain> candidates) {
    std::erase_if(candidates, [](const PairGain& pair) { return !(pair.gain > 0); });
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const PairGain& a, const PairGain& b) { return a.gain > b.gain; });
    std::vector<PairGain> best;
    fill(best, candidates);
    for (bool grew = true; grew;) {
        grew = false;
        for (const PairGain& wanted : candidates) {
            std::vector<PairGain> tried = best;
            std::erase_if(tried, [&](const PairGain& pair) { return meet(pair, wanted); });
            tried.push_back(wanted);
            fill(tried, candidates);
            if (gainOf(tried) > gainOf(best) + kNoGain) {
                best = std::move(tried);
                grew = true;
            }
        }
    }
    std::sort(best.begin(), best.end(),
              [](const PairGain& a, const PairGain& b) { return a.first < b.first; });
    return best;
}

std::optional<SharedPairs> chooseSharedPairs(const SharedPairsProblem& problem,
                                             const ProgressCallback& progress,
                                             const std::stop_token& stop) {
    const std::vector<std::size_t> places = sharingLayers(problem.layers);
    std::vector<PairGain> candidates = candidatesOf(problem.layers, places);
    AllocationProgress done(static_cast<std::int64_t>(places.size() + candidates.size()), progress);
    PairEstimate estimate(problem, candidates);
    std::vector<LoneLayer> alone(problem.layers.size());
    problem.pool.run(static_cast<std::int64_t>(places.size()), [&](std::int64_t i) {
        if (!stop.stop_requested()) {
            const std::size_t place = places[static_cast<std::size_t>(i)];
            alone[place] = estimate.alone(place);
            done.advance(1);
        }
    });
    const std::vector<std::size_t> order = byGrams(estimate, candidates);
    problem.pool.run(static_cast<std::int64_t>(candidates.size()), [&](std::int64_t i) {
        if (!stop.stop_requested()) {
            PairGain& pair = candidates[order[static_cast<std::size_t>(i)]];
            const LoneLayer& one = alone[pair.first];
            const LoneLayer& other = alone[pair.second];
            pair.gain = one.squaredError + other.squaredError -
                        estimate.together(pair.first, pair.second, one, other);
            done.advance(1);
        }
    });
    if (stop.stop_requested()) {
        return std::nullopt;
    }
    SharedPairs result;
    for (const std::size_t place : places) {
        result.alone += alone[place].squaredError;
    }
    result.neighbours = result.alone;
    for (const PairGain& pair : candidates) {
        const std::int64_t first = problem.layers[pair.first].block;
        if (first % 2 == 0 && problem.layers[pair.second].block == first + 1) {
            result.neighbours -= pair.gain;
        }
    }
    result.pairs = disjointPairs(std::move(candidates));
    result.chosen = result.alone - gainOf(result.pairs);
    return result;
}

}  // namespace cospadi
