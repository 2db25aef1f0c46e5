#include "core/sweep/sweep_refusals.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/methods/method.h"
#include "core/run/calibration_phase.h"
#include "core/run/resolve_specification.h"

namespace cospadi {

std::vector<std::string> sweepRefusals(const std::vector<SweepJob>& jobs) {
    std::map<std::string, std::string> known;
    std::vector<std::string> reasons;
    for (const SweepJob& job : jobs) {
        const RunSpecification& s = job.specification;
        std::string key = sharedCalibrationKey(s) + " " + s.layers +
                          fmt::format(" {} ", s.refine) +  // how much text it takes
                          nlohmann::json(s.ratios).dump() +
                          (isDense(s)        ? " dense"
                           : isCalibrated(s) ? " calibrated"
                                             : "");
        for (const Option& option : methodOf(s).ownOptions()) {  // which shapes may not fit
            key += fmt::format(" {} ", methodOf(s).name()) + textOf(valueOf(option, s.own));
        }
        if (methodOf(s).asBlockMethod() != nullptr) {  // how many blocks go
            key += fmt::format(" {}", s.cr);
        }
        const auto [reason, isNew] = known.try_emplace(key);
        if (isNew && job.state != JobState::Finished) {
            try {
                requireRunnable(s);
            } catch (const Error& error) {
                reason->second = error.what();
            }
        }
        reasons.push_back(job.state == JobState::Finished ? "" : reason->second);
    }
    return reasons;
}

}  // namespace cospadi
