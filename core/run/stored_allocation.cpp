#include "core/run/stored_allocation.h"

#include <nlohmann/json.hpp>

#include "core/store/json_field.h"
#include "core/store/run_file.h"
#include "core/tensors/atomic_file.h"

namespace cospadi {

void writeAllocation(const std::filesystem::path& file, const AllocationRule& rule,
                     const LayerRatios& allocated) {
    nlohmann::json record = {{"rule", rule.name()}, {"model", allocated.model}};
    for (const auto& [layer, ratio] : allocated.ratios) {
        const auto facts = allocated.layers.find(layer);
        record[layer] = facts != allocated.layers.end() ? facts->second : nlohmann::json::object();
        record[layer]["cr"] = ratio;
    }
    writeFileAtomically(file, record.dump(1) + "\n");
}

std::map<std::string, double> readAllocatedRatios(const std::filesystem::path& file,
                                                  const std::vector<LayerInfo>& layers) {
    const char* hint = "delete it; the run makes it again";
    const nlohmann::json record = readRunJson(file, hint);
    std::map<std::string, double> ratios;
    for (const LayerInfo& layer : layers) {
        ratios[layer.name] =
            fieldOf<double>(fieldOf(record, layer.name.c_str(), file, hint), "cr", file, hint);
    }
    return ratios;
}

}  // namespace cospadi
