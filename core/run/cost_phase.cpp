#include "core/run/cost_phase.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/allocation/error_costs.h"
#include "core/allocation/probe_text.h"
#include "core/base/error.h"
#include "core/base/thread_pool.h"
#include "core/methods/layer_groups.h"
#include "core/methods/output_metric.h"
#include "core/run/resolve_specification.h"
#include "core/store/json_field.h"
#include "core/store/run_file.h"
#include "core/tensors/atomic_file.h"

namespace cospadi {

namespace {

constexpr const char* kCostHint = "delete it; the run makes it again";

nlohmann::json recordOf(const std::map<std::string, ErrorCost>& costs) {
    nlohmann::json layers = nlohmann::json::object();
    for (const auto& [layer, own] : costs) {
        layers[layer] = {{"cost", own.cost}, {"error", own.error}, {"divergence", own.divergence}};
    }
    return {{"layers", layers}};
}

// False when stopped.
bool measure(const CostInputs& inputs, const std::filesystem::path& file,
             const ProgressCallback& progress, const std::stop_token& stop) {
    const RunSpecification& specification = inputs.specification;
    const MatrixOptions alone = withoutOutputMetric(withoutGroups(specification));
    const std::vector<std::int32_t> text =
        sampleProbeText(inputs.model.tokenizer(), calibrationOptionsOf(specification));
    CurveStore curves(specification.modelSha256, inputs.grams.cacheKey, alone);
    ThreadPool pool(inputs.threads);
    const auto costs = measureErrorCosts(
        {inputs.model, pool, &inputs.grams, inputs.layers, alone, text, {}}, curves,
        [&](Progress told) {
            told.stage = "costs";
            progress(told);
        },
        stop);
    if (costs) {
        writeFileAtomically(file, recordOf(*costs).dump(1) + "\n");
    }
    return costs.has_value();
}

}  // namespace

std::optional<std::map<std::string, double>> costsOfRun(const CostInputs& inputs,
                                                        const std::filesystem::path& file,
                                                        const ProgressCallback& progress,
                                                        const std::stop_token& stop) {
    if (!std::filesystem::exists(file) && !measure(inputs, file, progress, stop)) {
        return std::nullopt;
    }
    const nlohmann::json record = readRunJson(file, kCostHint);
    const nlohmann::json& layers = fieldOf(record, "layers", file, kCostHint);
    std::map<std::string, double> costs;
    for (const LayerInfo& layer : inputs.layers) {
        const nlohmann::json& own = fieldOf(layers, layer.name.c_str(), file, kCostHint);
        const auto cost = fieldOf<double>(own, "cost", file, kCostHint);
        if (!std::isfinite(cost) || cost <= 0) {
            throw Error("a cost is not above 0", file.string() + ", " + layer.name, kCostHint);
        }
        costs[layer.name] = cost;
    }
    return costs;
}

}  // namespace cospadi
