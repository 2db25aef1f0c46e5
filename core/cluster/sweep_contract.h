// A sweep as a file that any number of machines work off (docs/cluster.md): what is to be done,
// once and for all, and where it is done. Written once, never changed: a job is told by the file
// and its place in the list, whoever distributes the places.
//
//   FOLDER/sweep.json            the contract, of any name
//   FOLDER/jobs/ID/              attempt-NNNN.json (lease.h), result.json last
//   FOLDER/calibrations/KEY/     the same of a calibration that jobs share
//   FOLDER/runs/ID/              the run directory of job ID (docs/formats.md)
//   FOLDER/cache/                Gram matrices and hashes of models, for all jobs
//
// An id is a hash over what makes the run what it is: settings that count, hashes of model and
// calibration text, revision of the program. Sweeps in one folder share the runs that are the same.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/evaluation/perplexity.h"
#include "core/lm_eval/planned_tasks.h"
#include "core/store/run_specification.h"

namespace cospadi {

struct ContractedJob {
    std::string id;                // 16 hexadecimal digits
    nlohmann::json specification;  // resolved; jobSpecification() reads it
};

struct ContractedEvaluation {
    std::string text;  // an absolute path; empty: no perplexity
    std::string textSha256;
    PerplexityOptions options;
    TaskPlan tasks = {};                               // without names: none
    std::map<std::string, std::string> taskData = {};  // sha256 by task, of what lies in files
};

// What tells one perplexity from another, wherever its text lies.
nlohmann::json perplexityMeasure(const ContractedEvaluation& evaluation);

// How, not what: the same for all jobs.
struct ContractedExecution {
    std::string device = "cpu";
    bool tf32 = false;
    bool models = false;        // write each run's model folder
    double leaseSeconds = 120;  // lease.h
};

struct SweepContract {
    std::filesystem::path file;  // absolute
    std::string name;            // may be empty
    std::vector<std::string> tags;
    std::string revision;  // of the program that wrote it; no other works on it
    std::optional<ContractedEvaluation> evaluation;
    ContractedExecution execution;
    std::vector<ContractedJob> jobs;

    std::filesystem::path folder() const { return file.parent_path(); }
    std::filesystem::path runs() const { return folder() / "runs"; }
    std::filesystem::path runOf(std::size_t job) const { return runs() / jobs[job].id; }
    std::filesystem::path stateOf(std::size_t job) const {
        return folder() / "jobs" / jobs[job].id;
    }
    std::filesystem::path calibrationState(const std::string& gramCacheKey) const {
        return folder() / "calibrations" / gramCacheKey;
    }
    std::filesystem::path cacheHome() const { return folder() / "cache"; }
};

// Of a resolved specification.
std::string contractedJobId(const RunSpecification& specification, const std::string& revision);

// With this program's revision. file may be empty, to be chosen by what there is to do.
// specifications: resolved, no two of them equal.
SweepContract contractOf(const std::filesystem::path& file,
                         const std::vector<RunSpecification>& specifications);

// What its file holds: a line a job, so that people and tools for text can look in. The same for
// the same sweep, wherever its file is.
std::string contractText(const SweepContract& contract);

// Writes it read-only. Nothing where the very same stands there already; throws Error where
// something else does. Processes that write the same at once both succeed.
void writeContract(const SweepContract& contract);

// Whether a file is meant as one, and not as a grid.
bool isContract(const nlohmann::json& file);

// Throws Error naming file and field for anything but a contract. Specifications are not read yet.
SweepContract readContract(const std::filesystem::path& file);

// Throws Error where it is no specification of this program, or not the one that the id says.
RunSpecification jobSpecification(const SweepContract& contract, std::size_t job);

// Throws Error where another revision of the program wrote the contract.
void requireOwnRevision(const SweepContract& contract);

}  // namespace cospadi
