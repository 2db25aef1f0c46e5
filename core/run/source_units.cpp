#include "core/run/source_units.h"

#include <map>
#include <string>

namespace cospadi {

std::vector<SourceUnit> sourceUnits(const std::vector<MatrixRecord>& records) {
    std::vector<SourceUnit> units;
    std::map<std::string, std::size_t> shared;
    for (const MatrixRecord& record : records) {
        const auto [known, isNew] = record.unit.empty() ? std::pair(shared.end(), true)
                                                        : shared.emplace(record.unit, units.size());
        if (isNew) {
            units.push_back({&record});
        } else {
            units[known->second].push_back(&record);
        }
    }
    return units;
}

}  // namespace cospadi
