// A sweep file as job arrays of Slurm: the scripts, one a stage, and which places of the list go
// into which array. Text alone; slurm_submission.h hands it over.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/cluster/contracted_job.h"

namespace cospadi {

// Empty, or 0: as the cluster has it. Other engines (workflow_file.h) take the same.
struct SlurmOptions {
    std::string partition;
    std::string time;             // of a task, as sbatch takes it: minutes, H:M:S, D-H …
    std::string mem;              // of a task, such as 16G
    std::string gpus;             // of a task, as sbatch takes it: 1, a100:2
    int cpus = 0;                 // of a task
    int bundle = 1;               // jobs that a task does, one after the other
    int arrayLimit = 0;           // tasks of an array at once
    std::filesystem::path setup;  // lines of shell for the beginning of every task
};

// Throws Error naming the flag whose value sbatch could not read.
void validate(const SlurmOptions& options);

// "--on slurm --partition main …", as the command line takes them.
std::string commandWords(const SlurmOptions& options);
nlohmann::json toJson(const SlurmOptions& options);
SlurmOptions slurmOptionsFromJson(const nlohmann::json& json);  // throws Error

// Of a sweep, the same for all its arrays: "cospadi-0123456789ab".
std::string slurmJobName(const SweepContract& contract);

// program: `cospadi`, as the nodes see it. setup: the lines of options.setup. The script takes the
// number of the array's first job in the list of jobs as its argument. Stage All has options.bundle
// jobs a task, every other one.
std::string slurmScript(const SweepContract& contract, JobStage stage, const SlurmOptions& options,
                        const std::string& setup, const std::filesystem::path& program);

struct SlurmArray {
    JobStage stage = JobStage::Compress;
    std::size_t offset = 0;          // of its task 0's first job in the list of jobs
    std::vector<std::size_t> tasks;  // ascending, from 0
    // Of the list that it is in: those that have to end before; a compression waits for all tasks
    // of its calibrations, however they end, an evaluation's task for the same task of its
    // compression to succeed.
    std::vector<std::size_t> after;
    std::size_t bundle = 1;  // task t does `bundle` jobs from offset + t bundle on
};

// jobs: numbers in the contract's list, ascending. Largest first number of a task is below
// maxArraySize. Jobs that share a calibration have one task for it. With a bundle above 1 a task
// does all of its jobs, compression and evaluation (stage All): one that fails keeps none of the
// others from being measured.
std::vector<SlurmArray> slurmArrays(const SweepContract& contract,
                                    const std::vector<std::size_t>& jobs, std::size_t maxArraySize,
                                    std::size_t bundle = 1);

// "0-3,7", or with a limit "0-3,7%2".
std::string arrayText(const std::vector<std::size_t>& tasks, int limit = 0);

}  // namespace cospadi
