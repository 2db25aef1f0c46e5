// Run directories by what they do: whether a run of equal specification was begun before.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/store/run_specification.h"

namespace cospadi {

struct EarlierRun {
    std::filesystem::path directory;
    RunSpecification specification;  // its own: files of equal hash may lie elsewhere by now
    bool finished = false;
    std::int64_t matrices = 0;  // that have a file
};

// What `run` is gone on with: its settings as they stand there, its files where `asked`, of the
// same key, names them; the run may be older than their place.
RunSpecification goingOn(const EarlierRun& run, const RunSpecification& asked);

// What makes two runs the same: files count by their hashes, wherever they lie, settings by what
// they come to (run_settings.h). Of a resolved specification.
std::string runKey(RunSpecification specification);

class EarlierRuns {
  public:
    void addFolder(const std::filesystem::path& runs);  // those directly below
    void add(const std::filesystem::path& directory);   // passed over where it holds no run of ours

    // Of several runs with this key, the one that is furthest; null where there is none.
    const EarlierRun* find(const std::string& key) const;

  private:
    std::map<std::string, EarlierRun> m_runs;
};

// The furthest run directly below `runs` of this resolved specification that is not finished. One
// that another process is writing comes before all others.
struct UnfinishedRun {
    EarlierRun run;
    bool atWork = false;
};
std::optional<UnfinishedRun> unfinishedRun(const RunSpecification& specification,
                                           const std::filesystem::path& runs);

}  // namespace cospadi
