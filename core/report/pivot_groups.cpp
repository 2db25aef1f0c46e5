#include "core/report/pivot_groups.h"

#include "core/report/run_dimensions.h"

namespace cospadi {

bool partsRivals(const std::string& setting) {
    return setting == "model" || setting == "layers" || setting == "cr" || setting == "held_out" ||
           setting.starts_with("calibration.");
}

std::string groupOfRivals(const std::vector<std::string>& dimensions, const PivotKey& key) {
    std::string group;
    for (std::size_t i = 0; i < key.size(); ++i) {
        group += partsRivals(dimensions[i]) ? settingText(key[i]) + "\n" : "";
    }
    return group;
}

}  // namespace cospadi
