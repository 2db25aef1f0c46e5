#include "core/report/equal_bytes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include "core/report/run_kinds.h"
#include "core/store/run_settings.h"

namespace cospadi {

namespace {

// Of the dense bytes. A whole atom of a small layer is half of that, what eq 11 leaves unused at a
// ρ of 1.5 twice as much.
constexpr double kEqualBytes = 0.01;

struct Series {
    std::set<double> rhos;
    double least = 1;
    double most = 0;

    void add(const RunRow& run) {
        rhos.insert(run.rho);
        least = std::min(least, run.measuredRatio());
        most = std::max(most, run.measuredRatio());
    }
    bool isEqual() const { return most - least <= kEqualBytes; }
};

using Name = std::map<std::string, std::string>;

// All settings but ρ, the seeds and how bytes are counted; and the accounting. The bits of a
// coefficient belong to the latter: eq 11 has others at every ρ.
std::pair<Name, std::string> namesOf(const RunRow& run) {
    Name rest = restOf(settingsOf(run), {"rho", "coefficient_bits"});
    const auto found = rest.find("accounting");
    std::string accounting = found == rest.end() ? std::string() : found->second;
    rest.erase("accounting");
    return {rest, accounting};
}

}  // namespace

std::int64_t preferEqualBytes(std::vector<RunRow>& runs) {
    std::map<Name, std::map<std::string, Series>> all;
    for (const RunRow& run : runs) {
        if (std::isfinite(run.measuredRatio())) {
            const auto [rest, accounting] = namesOf(run);
            all[rest][accounting].add(run);
        }
    }
    return static_cast<std::int64_t>(std::erase_if(runs, [&](const RunRow& run) {
        const auto [rest, accounting] = namesOf(run);
        const auto place = all.find(rest);
        if (place == all.end() || !place->second.contains(accounting) ||
            place->second.at(accounting).isEqual()) {
            return false;
        }
        return std::any_of(place->second.begin(), place->second.end(), [](const auto& other) {
            return other.second.isEqual() && other.second.rhos.size() > 1;
        });
    }));
}

}  // namespace cospadi
