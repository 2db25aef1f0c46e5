// Which refined jobs of a sweep need not be solved: their matrices are taken from a run that is
// equal but for the refinement (solved_before.h) and lies in the same folder.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>

#include "core/sweep/sweep.h"

namespace cospadi {

enum class JobOrder {
    OneByOne,  // what an earlier job of the list has made, a later one finds
    AtOnce     // jobs find only what was there before
};

class TakenMatrices {
  public:
    explicit TakenMatrices(JobOrder order) : m_order(order) {}

    // Asked of each job of a list once, in its order. Reads the folder of a refined job's run.
    bool areThereFor(const SweepJob& job);

  private:
    using Settings = std::pair<std::filesystem::path, std::string>;  // folder of runs, runKey()

    JobOrder m_order;
    std::map<Settings, bool> m_solved;  // whether such a run is there by then
};

}  // namespace cospadi
