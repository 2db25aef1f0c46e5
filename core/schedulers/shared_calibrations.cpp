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
        const RunSpecification s = jobSpecification(contract, job);
        if (!needsGrams(s)) {
            by.emplace_back();
            continue;
        }
        by.emplace_back(first.emplace(sharedCalibrationKey(s), job).first->second);
    }
    return by;
}

}  // namespace cospadi
