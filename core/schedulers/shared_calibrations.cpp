#include "core/schedulers/shared_calibrations.h"

#include <map>
#include <string>

#include "core/run/calibration_phase.h"

namespace cospadi {

std::vector<std::optional<std::size_t>> calibratingJobs(const SweepContract& contract,
                                                        const std::vector<std::size_t>& jobs) {
    std::vector<std::optional<std::size_t>> by;
    std::map<std::string, std::size_t> first;
    for (const std::size_t job : jobs) {
        if (!needsGrams(jobSpecification(contract, job))) {
            by.emplace_back();
            continue;
        }
        const nlohmann::json& s = contract.jobs[job].specification;
        const std::string key = s.value("model_sha256", "") + s.at("calibration").dump();
        by.emplace_back(first.emplace(key, job).first->second);
    }
    return by;
}

}  // namespace cospadi
