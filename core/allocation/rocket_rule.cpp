#include "core/allocation/rocket_rule.h"

#include <algorithm>
#include <utility>

#include "core/allocation/allocation_progress.h"
#include "core/allocation/allocation_rule.h"
#include "core/allocation/ratio_limits.h"
#include "core/allocation/trial.h"
#include "core/linalg/cpu_backend.h"
#include "core/methods/method.h"

namespace cospadi {

namespace {

constexpr int kFirstCandidate = 5;  // in percent
constexpr int kLastCandidate = 70;
constexpr int kCandidateStep = 5;
constexpr int kResolution = 50000;
constexpr int kLeastBound = 100;  // α, in percent
constexpr int kGreatestBound = 200;
constexpr int kTrials = 5;
constexpr double kSameRatio = 1e-6;

double percent(int value) { return value / 100.0; }

// Of every item what costs no more than its bound, as indices.
std::vector<std::vector<std::size_t>> allowed(const std::vector<std::vector<BudgetChoice>>& items,
                                              const std::vector<double>& bounds) {
    std::vector<std::vector<std::size_t>> indices(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
        for (std::size_t c = 0; c < items[i].size(); ++c) {
            if (items[i][c].cost <= bounds[i]) {
                indices[i].push_back(c);
            }
        }
    }
    return indices;
}

bool hasRoom(const std::vector<std::vector<BudgetChoice>>& items,
             const std::vector<std::vector<std::size_t>>& indices, double budget) {
    double bytes = 0;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (indices[i].empty()) {
            return false;
        }
        double least = items[i][indices[i].front()].bytes;
        for (const std::size_t c : indices[i]) {
            least = std::min(least, items[i][c].bytes);
        }
        bytes += least;
    }
    return bytes <= budget;
}

std::vector<std::size_t> chooseAmong(const std::vector<std::vector<BudgetChoice>>& items,
                                     const std::vector<std::vector<std::size_t>>& indices,
                                     double budget) {
    std::vector<std::vector<BudgetChoice>> left(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
        for (const std::size_t c : indices[i]) {
            left[i].push_back(items[i][c]);
        }
    }
    std::vector<std::size_t> chosen = chooseByProgramme(left, budget, kResolution);
    for (std::size_t i = 0; i < items.size(); ++i) {
        chosen[i] = indices[i][chosen[i]];
    }
    return chosen;
}

class RocketRule final : public AllocationRule {
  public:
    RocketRule() : AllocationRule("rocket") {}

    AllocationNeeds needs() const override {
        AllocationNeeds needs;
        needs.grams = true;  // of the method's trials
        needs.trials = kTrials;
        return needs;
    }

    std::optional<LayerRatios> allocate(const AllocationProblem& problem,
                                        const ProgressCallback& progress,
                                        const std::stop_token& stop) const override {
        const auto count = static_cast<std::int64_t>(problem.layers.size());
        AllocationProgress done(count, progress);
        std::vector<std::vector<CurvePoint>> points(problem.layers.size());
        TrialLayers layers(problem.model, problem.grams, problem.pool.threadCount());
        problem.pool.run(count, [&](std::int64_t i) {
            const auto at = static_cast<std::size_t>(i);
            points[at] = tried(problem, layers, problem.layers[at], stop);
            done.advance(1);
        });
        if (stop.stop_requested()) {
            return std::nullopt;
        }
        const std::vector<AllocationCurve> curves(points.begin(), points.end());
        const RocketRatios shared = rocketRatios(problem.options, problem.layers, curves);
        LayerRatios result;
        result.model = {{"bound", shared.bound}, {"mean_error", shared.meanError}};
        for (std::size_t i = 0; i < problem.layers.size(); ++i) {
            const std::string& name = problem.layers[i].name;
            nlohmann::json trials = nlohmann::json::array();
            for (const CurvePoint& point : points[i]) {
                trials.push_back({point.cr, point.error});
            }
            result.ratios[name] = shared.ratios[i];
            result.layers[name] = {{"predicted_error", curves[i].errorAt(shared.ratios[i])},
                                   {"trials", std::move(trials)}};
        }
        return result;
    }

  private:
    static std::vector<CurvePoint> tried(const AllocationProblem& problem, TrialLayers& layers,
                                         const LayerInfo& layer, const std::stop_token& stop) {
        const RatioLimits limits = storableRatios(problem.options, layer);
        const TrialLayer whole = layers.of(layer);
        CpuBackend backend(1);
        std::vector<CurvePoint> points;
        for (const double cr : rocketTrials(problem.options.cr, limits.least, limits.most)) {
            if (stop.stop_requested()) {
                break;
            }
            const CompressedMatrix trial =
                compressedOnTrial(whole, problem.options, cr, kTrialIterations, stop);
            if (trial.termination == Termination::Cancelled) {
                break;
            }
            // Plain: what the rule adds up is not what the method makes small.
            points.push_back({cr, storedError(backend, whole.weight, nullptr, *trial.weight)});
        }
        return points;
    }
};

}  // namespace

const AllocationRule& rocketRule() {
    static const RocketRule rule;
    return rule;
}

std::vector<double> rocketTrials(double cr, double least, double most) {
    const double low = std::clamp(percent(kFirstCandidate), least, cr);
    const double high = std::clamp(percent(kLastCandidate), cr, most);
    std::vector<double> trials;
    for (const double ratio : {low, (low + cr) / 2, cr, (cr + high) / 2, high}) {
        if (trials.empty() || ratio > trials.back() + kSameRatio) {
            trials.push_back(ratio);
        }
    }
    return trials;
}

RocketChoice rocketChoice(const std::vector<std::vector<BudgetChoice>>& items,
                          const std::vector<std::size_t>& uniform) {
    double budget = 0;
    double mean = 0;
    for (std::size_t i = 0; i < items.size(); ++i) {
        budget += items[i][uniform[i]].bytes;
        mean += items[i][uniform[i]].cost / static_cast<double>(items.size());
    }
    for (int bound = kLeastBound; bound <= kGreatestBound; ++bound) {
        const auto indices =
            allowed(items, std::vector<double>(items.size(), percent(bound) * mean));
        if (hasRoom(items, indices, budget)) {
            return {chooseAmong(items, indices, budget), percent(bound)};
        }
    }
    std::vector<double> bounds;
    for (std::size_t i = 0; i < items.size(); ++i) {
        bounds.push_back(std::max(percent(kGreatestBound) * mean, items[i][uniform[i]].cost));
    }
    return {chooseAmong(items, allowed(items, bounds), budget), 0};
}

RocketRatios rocketRatios(const MatrixOptions& options, const std::vector<LayerInfo>& layers,
                          const std::vector<AllocationCurve>& curves) {
    std::vector<std::vector<BudgetChoice>> items(layers.size());
    std::vector<std::vector<double>> ratios(layers.size());
    RocketRatios result;
    for (std::size_t i = 0; i < layers.size(); ++i) {
        const auto offer = [&](double cr) {
            MatrixOptions at = options;
            at.cr = cr;
            if (isStorable(at, layers[i].d1, layers[i].d2)) {
                items[i].push_back(
                    {budgetBytes(at, layers[i].d1, layers[i].d2), curves[i].errorAt(cr)});
                ratios[i].push_back(cr);
            }
        };
        offer(options.cr);
        offer(curves[i].smallestRatio());
        offer(curves[i].largestRatio());
        for (int c = kFirstCandidate; c <= kLastCandidate; c += kCandidateStep) {
            if (percent(c) >= curves[i].smallestRatio() && percent(c) <= curves[i].largestRatio()) {
                offer(percent(c));
            }
        }
        result.meanError += curves[i].errorAt(options.cr) / static_cast<double>(layers.size());
    }
    const RocketChoice choice = rocketChoice(items, std::vector<std::size_t>(layers.size(), 0));
    result.bound = choice.bound;
    for (std::size_t i = 0; i < layers.size(); ++i) {
        result.ratios.push_back(ratios[i][choice.chosen[i]]);
    }
    return result;
}

}  // namespace cospadi
