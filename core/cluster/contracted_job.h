// One job of a sweep file, done once whoever is asked for it and however often: under a lease, by
// the code of any other run, in a directory that its id names, the result last. A job that is done
// is passed over, one that was interrupted goes on with the first matrix that is missing.
#pragma once

#include <stop_token>
#include <string>

#include "core/cluster/job_steps.h"
#include "core/cluster/sweep_contract.h"

namespace cospadi {

// All: what the others do, one after the other, as far as the job needs it.
enum class JobStage { All, Calibrate, Compress, Evaluate };
const char* name(JobStage stage);
JobStage jobStageFromName(const std::string& name);  // throws Error

enum class JobEnd {
    Done,
    Again,   // stopped, or another process is at work on it
    Never,   // by this file and program it cannot succeed
    Failed,  // for a reason that may pass: a disk, a model that this machine does not see
};

struct JobReport {
    JobEnd end = JobEnd::Done;
    std::string reason;    // of an end other than done
    bool earlier = false;  // done before this start
};

// Never throws for what goes wrong with the job. The caches of this process have to be those of the
// sweep (SweepContract::cacheHome()) for calibrations to be shared.
JobReport doJob(const SweepContract& contract, std::size_t job, JobStage stage,
                const JobHooks& hooks, const std::stop_token& stop = {});

}  // namespace cospadi
