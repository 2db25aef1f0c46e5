#include "core/allocation/error_costs.h"

#include <algorithm>
#include <vector>

#include "core/allocation/curve_tasks.h"
#include "core/allocation/probe_text.h"

namespace cospadi {

namespace {

constexpr double kLeastCost = 0.01;  // of the median

double medianOf(std::vector<double> values) {
    if (values.empty()) {
        return 1;
    }
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

}  // namespace

std::optional<std::map<std::string, ErrorCost>> measureErrorCosts(const CurveProblem& problem,
                                                                  CurveStore& store,
                                                                  const ProgressCallback& progress,
                                                                  const std::stop_token& stop) {
    if (!measureProbes(problem, store, progress, stop)) {
        return std::nullopt;
    }
    const TrialSetting at = trialAt(kProbedRatio, problem.options);
    const std::string text = probeTextKey(firstSequence(problem.probeText), kProbeLength);
    std::map<std::string, ErrorCost> costs;
    std::vector<double> known;
    for (const LayerInfo& layer : problem.layers) {
        ErrorCost& own = costs[layer.name];
        own.error = store.error(layer.name, at).value_or(0);
        own.divergence = store.divergence(layer.name, at, text).value_or(0);
        if (own.error > 0 && own.divergence > 0) {
            own.cost = own.divergence / (own.error * own.error);
            known.push_back(own.cost);
        }
    }
    const double median = medianOf(std::move(known));
    for (auto& [layer, own] : costs) {
        own.cost = own.error > 0 ? std::max(own.cost, kLeastCost * median) : median;
    }
    return costs;
}

}  // namespace cospadi
