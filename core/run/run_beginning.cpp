#include "core/run/run_beginning.h"

#include "core/base/error.h"

namespace cospadi {

RunBeginning::RunBeginning(const RunSpecification& specification, const std::filesystem::path& runs,
                           FinishedRuns finished)
    : m_lock(runs) {
    if (const auto unfinished = unfinishedRun(specification, runs)) {
        m_earlier = unfinished->run;
        m_atWork = unfinished->atWork;
    } else if (finished == FinishedRuns::Count) {
        EarlierRuns all;
        all.addFolder(runs);
        if (const EarlierRun* run = all.find(runKey(specification))) {
            m_earlier = *run;
        }
    }
}

void RunBeginning::requireIdle() const {
    if (m_atWork) {
        throw Error("another process is working on this run", m_earlier->directory.string(),
                    "wait for it, or make a second run with the same settings by `compress --out`");
    }
}

}  // namespace cospadi
