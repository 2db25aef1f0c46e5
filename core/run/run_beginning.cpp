#include "core/run/run_beginning.h"

#include <unistd.h>

#include <utility>

#include "core/base/error.h"
#include "core/store/run_lock.h"

namespace cospadi {

namespace fs = std::filesystem;

std::vector<fs::path> runsElsewhere(const RunStore& store, const fs::path& runs) {
    RunFilter all;
    all.includeArchived = true;
    std::vector<fs::path> directories;
    for (const RunRow& run : store.list(all)) {
        if (fs::path directory = run.directory; directory.parent_path() != runs) {
            directories.push_back(std::move(directory));
        }
    }
    return directories;
}

RunBeginning::RunBeginning(const RunSpecification& specification, const fs::path& runs,
                           FinishedRuns finished, const std::vector<fs::path>& elsewhere)
    : m_lock(runs) {
    const std::string key = runKey(specification);
    if (const auto unfinished = unfinishedRun(specification, runs)) {
        take(unfinished->run, unfinished->atWork);
    }
    for (const fs::path& directory : elsewhere) {
        EarlierRuns one;
        one.add(directory);
        const EarlierRun* run = one.find(key);
        const bool isAtWork = run != nullptr && isBeingWritten(directory);
        const bool mayGoOn = isAtWork || ::access(directory.c_str(), W_OK) == 0;
        if (run != nullptr && !run->finished && mayGoOn) {
            take(*run, isAtWork);
        }
    }
    if (m_earlier || finished == FinishedRuns::PassOver) {
        return;
    }
    EarlierRuns all;
    all.addFolder(runs);
    for (const fs::path& directory : elsewhere) {
        all.add(directory);
    }
    if (const EarlierRun* run = all.find(key); run != nullptr && run->finished) {
        m_earlier = *run;
    }
}

// The one in work, else the furthest.
void RunBeginning::take(const EarlierRun& run, bool isAtWork) {
    if (!m_earlier ||
        std::pair(isAtWork, run.matrices) > std::pair(m_atWork, m_earlier->matrices)) {
        m_earlier = run;
        m_atWork = isAtWork;
    }
}

void RunBeginning::requireIdle() const {
    if (m_atWork) {
        throw Error("another process is working on this run", m_earlier->directory.string(),
                    "wait for it, or make a second run with the same settings by `compress --out`");
    }
}

}  // namespace cospadi
