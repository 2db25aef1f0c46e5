#include "core/run/earlier_runs.h"

#include <nlohmann/json.hpp>

#include "core/store/matrix_folders.h"
#include "core/store/run_file.h"
#include "core/store/run_lock.h"
#include "core/store/run_settings.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;

bool isFinished(const fs::path& directory) {
    std::error_code failed;
    return fs::exists(directory / "result.json", failed);
}

std::optional<EarlierRun> read(const fs::path& directory) {
    std::error_code failed;
    if (directory.empty() || !fs::exists(directory / "run.json", failed)) {
        return std::nullopt;
    }
    EarlierRun run{directory, {}, isFinished(directory), solvedMatrices(directory)};
    try {
        const nlohmann::json file = readRunJson(directory / "run.json", "");
        run.specification = runSpecificationFromJson(file.at("specification"));
    } catch (const std::exception&) {
        return std::nullopt;  // damaged, or of another version: it could not be gone on with
    }
    return run;
}

bool isFurther(const EarlierRun& run, const EarlierRun& other) {
    return std::pair(run.finished, run.matrices) > std::pair(other.finished, other.matrices);
}

}  // namespace

RunSpecification goingOn(const EarlierRun& run, const RunSpecification& asked) {
    RunSpecification specification = run.specification;
    specification.model = asked.model;
    specification.calibration.text = asked.calibration.text;
    return specification;
}

std::string runKey(RunSpecification specification) {
    specification = effective(std::move(specification));
    if (!specification.modelSha256.empty()) {
        specification.model.clear();
    }
    if (!specification.calibration.textSha256.empty()) {
        specification.calibration.text.clear();
    }
    return toJson(specification).dump();
}

void EarlierRuns::addFolder(const fs::path& runs) {
    std::error_code failed;
    for (const auto& entry : fs::directory_iterator(runs, failed)) {
        add(entry.path());
    }
}

void EarlierRuns::add(const fs::path& directory) {
    const std::optional<EarlierRun> run = read(directory);
    if (!run) {
        return;
    }
    const auto [known, isNew] = m_runs.try_emplace(runKey(run->specification), *run);
    if (!isNew && isFurther(*run, known->second)) {
        known->second = *run;
    }
}

const EarlierRun* EarlierRuns::find(const std::string& key) const {
    const auto found = m_runs.find(key);
    return found == m_runs.end() ? nullptr : &found->second;
}

std::optional<UnfinishedRun> unfinishedRun(const RunSpecification& specification,
                                           const fs::path& runs) {
    EarlierRuns atWork;
    EarlierRuns left;
    std::error_code failed;
    for (const auto& entry : fs::directory_iterator(runs, failed)) {
        if (!isFinished(entry.path())) {
            (isBeingWritten(entry.path()) ? atWork : left).add(entry.path());
        }
    }
    const std::string key = runKey(specification);
    if (const EarlierRun* run = atWork.find(key)) {
        return UnfinishedRun{*run, true};
    }
    const EarlierRun* run = left.find(key);
    return run == nullptr ? std::nullopt : std::optional(UnfinishedRun{*run, false});
}

}  // namespace cospadi
