#include "core/run/stored_allocation.h"

#include <nlohmann/json.hpp>

#include "core/store/json_field.h"
#include "core/store/run_file.h"
#include "core/tensors/atomic_file.h"

namespace cospadi {

void writeAllocation(const std::filesystem::path& file, const std::string& rule,
                     const LayerRatios& allocated) {
    nlohmann::json record = {{"rule", rule}, {"model", allocated.model}};
    for (const auto& [layer, ratio] : allocated.ratios) {
        const auto facts = allocated.layers.find(layer);
        record[layer] = facts != allocated.layers.end() ? facts->second : nlohmann::json::object();
        record[layer]["cr"] = ratio;
        if (const auto rho = allocated.rhos.find(layer); rho != allocated.rhos.end()) {
            record[layer]["rho"] = rho->second;
        }
    }
    writeFileAtomically(file, record.dump(1) + "\n");
}

std::map<std::string, AllocatedLayer> readAllocation(const std::filesystem::path& file,
                                                     const std::vector<LayerInfo>& layers,
                                                     bool withRho) {
    const char* hint = "delete it; the run makes it again";
    const nlohmann::json record = readRunJson(file, hint);
    std::map<std::string, AllocatedLayer> allocated;
    for (const LayerInfo& layer : layers) {
        const nlohmann::json& own = fieldOf(record, layer.name.c_str(), file, hint);
        AllocatedLayer& at = allocated[layer.name];
        at.cr = fieldOf<double>(own, "cr", file, hint);
        if (withRho) {
            at.rho = fieldOf<double>(own, "rho", file, hint);
        }
    }
    return allocated;
}

}  // namespace cospadi
