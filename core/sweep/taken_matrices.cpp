#include "core/sweep/taken_matrices.h"

#include "core/run/earlier_runs.h"
#include "core/run/solved_before.h"

namespace cospadi {

bool TakenMatrices::areThereFor(const SweepJob& job) {
    const RunSpecification& s = job.specification;
    const std::filesystem::path folder = job.directory.parent_path();
    if (!isRefined(s)) {
        // Whether a finished one is whole is looked up where that is asked; one that another
        // process is writing may stay unfinished.
        const bool isMade = job.state != JobState::Finished && job.state != JobState::Busy;
        if (isMade && m_order == JobOrder::OneByOne) {
            m_solved[{folder, runKey(s)}] = true;
        }
        return false;
    }
    if (job.finishedMatrices > 0) {  // it has begun with its own
        return false;
    }
    const auto [known, isNew] = m_solved.try_emplace({folder, runKey(unrefined(s))});
    if (isNew) {
        known->second = !solvedBefore(s, folder).empty();
    }
    return known->second;
}

}  // namespace cospadi
