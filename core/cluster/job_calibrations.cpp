#include "core/cluster/job_calibrations.h"

#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "core/base/error.h"
#include "core/calibration/gram_cache.h"
#include "core/run/calibration_phase.h"
#include "core/run/resolve_specification.h"

namespace cospadi {

namespace fs = std::filesystem;

std::string calibrationKeyOf(const RunSpecification& s) {
    return needsGrams(s) ? gramCacheKey(s.modelSha256, calibrationOptionsOf(s)) : "";
}

CalibrationsAtWork::CalibrationsAtWork(const SweepContract& contract,
                                       const std::function<bool(const Attempt&)>& isAtWork)
    : m_contract(contract) {
    std::error_code failed;
    for (fs::directory_iterator entry(contract.calibrationState(""), failed), end;
         !failed && entry != end; entry.increment(failed)) {
        if (std::optional<Attempt> attempt = newestAttempt(entry->path());
            attempt && isAtWork(*attempt)) {
            m_attempts.emplace(entry->path().filename().string(), *std::move(attempt));
        }
    }
}

const Attempt* CalibrationsAtWork::of(std::size_t job) {
    if (m_attempts.empty()) {
        return nullptr;
    }
    try {
        const auto found = m_attempts.find(keyOf(jobSpecification(m_contract, job)));
        return found == m_attempts.end() ? nullptr : &found->second;
    } catch (const Error&) {  // whoever begins the job says what is wrong with it
        return nullptr;
    }
}

const std::string& CalibrationsAtWork::keyOf(const RunSpecification& s) {
    const auto [known, isNew] = m_keys.try_emplace(needsGrams(s) ? sharedCalibrationKey(s) : "");
    if (isNew) {
        known->second = calibrationKeyOf(s);
    }
    return known->second;
}

}  // namespace cospadi
