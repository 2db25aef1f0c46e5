#include "core/sweep/sweep_refusals.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/methods/method.h"
#include "core/methods/option_key.h"
#include "core/run/calibration_phase.h"
#include "core/run/resolve_specification.h"

namespace cospadi {

namespace {

using Reasons = std::map<std::string, std::string>;  // by what jobs share; empty: there is none

const std::string& reasonOf(const RunSpecification& s, const std::string& key,
                            void (*require)(const RunSpecification&), Reasons& known) {
    const auto [reason, isNew] = known.try_emplace(key);
    if (isNew) {
        try {
            require(s);
        } catch (const Error& error) {
            reason->second = error.what();
        }
    }
    return reason->second;
}

// Whatever a layer is asked may leave it no form; seeds alone do not. The text counts where whole
// blocks are left out, which takes so many tokens.
std::string layersKey(const RunSpecification& s) {
    MatrixOptions options = s;
    options.seed = 0;
    return fmt::format("{} {} {} {} {} {}", sharedCalibrationKey(s), s.layers,
                       nlohmann::json(s.ratios).dump(), s.autoRho, s.allocation->name(),
                       keyOf(options));
}

std::string textsKey(const RunSpecification& s) {
    return fmt::format("{} {} {} {}", sharedCalibrationKey(s), s.refine, isDense(s),
                       isCalibrated(s));
}

}  // namespace

std::vector<std::string> sweepRefusals(const std::vector<SweepJob>& jobs) {
    Reasons ofLayers;
    Reasons ofTexts;
    std::vector<std::string> reasons;
    for (const SweepJob& job : jobs) {
        const RunSpecification& s = job.specification;
        std::string& reason = reasons.emplace_back();
        if (job.state != JobState::Finished) {
            reason = reasonOf(s, layersKey(s), requireLayers, ofLayers);
        }
        if (job.state != JobState::Finished && reason.empty()) {
            reason = reasonOf(s, textsKey(s), requireTexts, ofTexts);
        }
    }
    return reasons;
}

}  // namespace cospadi
