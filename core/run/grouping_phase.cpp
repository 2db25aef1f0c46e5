#include "core/run/grouping_phase.h"

#include <nlohmann/json.hpp>

#include "core/allocation/shared_pairs.h"
#include "core/base/thread_pool.h"
#include "core/store/json_field.h"
#include "core/store/run_file.h"
#include "core/tensors/atomic_file.h"

namespace cospadi {

namespace {

constexpr const char* kGroupsAgain = "delete it; the run makes it again";

nlohmann::json recordOf(const SharedPairs& chosen, const std::vector<LayerInfo>& layers) {
    nlohmann::json groups = nlohmann::json::array();
    nlohmann::json gains = nlohmann::json::array();
    for (const PairGain& pair : chosen.pairs) {
        groups.push_back({layers[pair.first].name, layers[pair.second].name});
        gains.push_back(pair.gain);
    }
    return {
        {"groups", groups},
        {"gains", gains},
        {"estimate",
         {{"alone", chosen.alone}, {"neighbours", chosen.neighbours}, {"chosen", chosen.chosen}}}};
}

}  // namespace

std::optional<LayerGroups> groupsOfRun(const GroupingInputs& inputs,
                                       const std::filesystem::path& file,
                                       const ProgressCallback& progress,
                                       const std::stop_token& stop) {
    if (!std::filesystem::exists(file)) {
        ThreadPool pool(inputs.threads);
        const std::optional<SharedPairs> chosen = chooseSharedPairs(
            {inputs.model, pool, inputs.grams, inputs.layers, inputs.cr}, progress, stop);
        if (!chosen) {
            return std::nullopt;
        }
        writeFileAtomically(file, recordOf(*chosen, inputs.layers).dump(1) + "\n");
    }
    return fieldOf<LayerGroups>(readRunJson(file, kGroupsAgain), "groups", file, kGroupsAgain);
}

}  // namespace cospadi
