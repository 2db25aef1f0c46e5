// The beginning of a run that may have been begun before, here or by another process. What there is
// of the same settings is looked up, and the run's directory opened, under one lock on the folder
// of runs: commands that start at once never begin equal runs side by side.
#pragma once

#include <filesystem>
#include <optional>

#include "core/run/earlier_runs.h"
#include "core/store/folder_lock.h"

namespace cospadi {

enum class FinishedRuns {
    PassOver,  // asked for again: a run of its own
    Count      // what is done is done
};

// Holds the lock from its making to its end, which should be when the run's directory is there and
// has a lock of its own (RunExecution::onOpened): others wait for it.
class RunBeginning {
  public:
    // Waits for the lock. specification: resolved. runs: runs directly below it are looked at.
    RunBeginning(const RunSpecification& specification, const std::filesystem::path& runs,
                 FinishedRuns finished);

    // Of these settings; what another process is writing comes before what can be gone on with,
    // that before what is finished. Empty where there is none.
    const std::optional<EarlierRun>& earlier() const { return m_earlier; }

    // Throws Error where another process is writing it.
    void requireIdle() const;

  private:
    FolderLock m_lock;
    std::optional<EarlierRun> m_earlier;
    bool m_atWork = false;
};

}  // namespace cospadi
