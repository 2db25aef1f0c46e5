// How far a sweep file is, by what its jobs left in its folder; no scheduler is asked. And the way
// of its finished runs into a store.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/cluster/sweep_contract.h"
#include "core/store/run_store.h"

namespace cospadi {

enum class JobStanding {
    Done,
    Running,  // under a live lease
    Waiting,  // not begun, stopped, or compressed and not evaluated yet
    Failed,
    Lost,  // its process ended, or gives no sign, without a word
};
const char* name(JobStanding standing);

struct JobStatus {
    JobStanding standing = JobStanding::Waiting;
    bool never = false;  // of a failed one: starting it again changes nothing
    int attempts = 0;
    std::string process;  // "4711 on node3", and the scheduler's name for it; of the newest attempt
    std::string reason;   // why it is not done, and who computes its calibration meanwhile
    std::string run;      // the id of a done one's run
    std::int64_t matrices = 0;         // finished, of one that is not done
    std::optional<double> perplexity;  // of a done one, where it is measured
};

// One a job, in their order.
std::vector<JobStatus> statusOf(const SweepContract& contract);

// Whether there is something for a new start to do: waiting, lost, or failed for a reason that may
// have passed.
bool isLeft(const JobStatus& status);

// Why nothing more can be written into the sweep's folder: its file system is full, or a quota is
// used up. Empty where it can, or where this user may not write there at all.
std::string lackOfRoom(const SweepContract& contract);

struct MergeSummary {
    std::int64_t merged = 0;  // taken in, or again since something was added
    std::int64_t known = 0;   // were there as they are
    std::vector<std::string> notes;
};

// Takes the runs of done jobs into the store, with the sweep's tags; those that are there, with
// what the sweep measures, get the tags alone, so that it may be called at any time. A run that the
// store has in another directory is known: both are the same to the bit.
MergeSummary mergeInto(RunStore& store, const SweepContract& contract,
                       const std::vector<JobStatus>& jobs);

}  // namespace cospadi
