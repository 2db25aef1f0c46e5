// What Slurm has of a sweep: the tasks under the sweep's name (slurmJobName()), by squeue.
#pragma once

#include <string>
#include <vector>

#include "core/cluster/contracted_job.h"

namespace cospadi {

struct SlurmAnswer {
    int exitCode = 0;
    std::string text;  // what it printed, without the end of the last line
};

// Runs one of Slurm's commands. Throws Error where there is no such program.
SlurmAnswer askSlurm(const std::vector<std::string>& command);

struct SlurmTask {
    std::string id;  // "17_3"
    JobStage stage = JobStage::Compress;
    std::vector<std::size_t> jobs;  // of the contract's list; none where it calibrates
    std::string state;              // Slurm's word: PENDING, RUNNING, FAILED, …; may be empty
    std::string node;               // empty while it waits
    std::string reason;             // Slurm's, such as Resources or NonZeroExitCode
};

// Those in the queue or at work; with Ended those, too, that Slurm still remembers (MinJobAge,
// usually five minutes). Throws Error where Slurm is not here, or gives no answer.
enum class SlurmTasks { Queued, Ended };
std::vector<SlurmTask> slurmTasks(const SweepContract& contract,
                                  SlurmTasks which = SlurmTasks::Queued);

// Whether it has ended by Slurm's word.
bool isEnded(const SlurmTask& task);

}  // namespace cospadi
