// The beginning of a run that may have been begun before, here or by another process. What there is
// of the same settings is looked up, and the run's directory opened, under one lock on the folder
// of runs: commands that start at once never begin equal runs side by side.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/run/earlier_runs.h"
#include "core/store/folder_lock.h"
#include "core/store/run_store.h"

namespace cospadi {

enum class FinishedRuns {
    PassOver,  // asked for again: a run of its own
    Count      // what is done is done
};

// Directories of runs that the store knows and that do not lie directly below `runs`; of archived
// runs, too.
std::vector<std::filesystem::path> runsElsewhere(const RunStore& store,
                                                 const std::filesystem::path& runs);

// Holds the lock from its making to its end, which should be when the run's directory is there and
// has a lock of its own (RunExecution::onOpened): others wait for it.
class RunBeginning {
  public:
    // Waits for the lock. specification: resolved. Runs directly below `runs` are looked at, and
    // those in `elsewhere` (runsElsewhere()), which may be gone; one of these that this user may
    // not write counts only while another process writes it, or where it is finished.
    RunBeginning(const RunSpecification& specification, const std::filesystem::path& runs,
                 FinishedRuns finished, const std::vector<std::filesystem::path>& elsewhere = {});

    // Of these settings; what another process is writing comes before what can be gone on with,
    // that before what is finished. Empty where there is none.
    const std::optional<EarlierRun>& earlier() const { return m_earlier; }

    // Throws Error where another process is writing it.
    void requireIdle() const;

  private:
    void take(const EarlierRun& run, bool isAtWork);

    FolderLock m_lock;
    std::optional<EarlierRun> m_earlier;
    bool m_atWork = false;
};

}  // namespace cospadi
