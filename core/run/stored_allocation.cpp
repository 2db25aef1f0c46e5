#include "core/run/stored_allocation.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/store/json_field.h"
#include "core/store/run_file.h"
#include "core/tensors/atomic_file.h"

namespace cospadi {

void writeAllocation(const std::filesystem::path& file, const AllocationResult& allocated) {
    nlohmann::json record = nlohmann::json::object();
    for (const auto& [layer, ratio] : allocated.ratios) {
        record[layer] = {{"cr", ratio.cr},
                         {"predicted_error", ratio.predictedError},
                         {"predicted_divergence", ratio.predictedDivergence}};
    }
    record["model"] = {{"share", allocated.share},
                       {"predicted_divergence", allocated.predictedDivergence},
                       {"divergence", allocated.divergence},
                       {"uniform_divergence", allocated.uniformDivergence}};
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

std::string warningOf(const AllocationResult& allocated) {
    if (allocated.share == 1) {
        return "";
    }
    return fmt::format(
        "the ratios that were predicted to be best made the model diverge further than the uniform "
        "one ({:.4f} nats a token); {}",
        allocated.uniformDivergence,
        allocated.share > 0 ? fmt::format("{:.0f} % of the way to them is used ({:.4f})",
                                          100 * allocated.share, allocated.divergence)
                            : "the uniform one is used");
}

}  // namespace cospadi
