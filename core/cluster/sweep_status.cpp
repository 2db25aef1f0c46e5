#include "core/cluster/sweep_status.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/error.h"
#include "core/cluster/lease.h"
#include "core/store/matrix_folders.h"
#include "core/store/run_directory.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;

// More of them are read on all cores, and written by many in a transaction.
constexpr std::size_t kOneByOne = 32;

std::string processText(const Attempt& attempt) {
    std::string text = attempt.process.pid == 0
                           ? "an unknown process"
                           : fmt::format("{} on {}", attempt.process.pid, attempt.process.host);
    return attempt.scheduler.empty() ? text : text + ", " + attempt.scheduler;
}

void takeAttempt(const SweepContract& contract, const Attempt& attempt, fs::file_time_type now,
                 JobStatus& status) {
    status.attempts = attempt.number;
    status.process = processText(attempt);
    status.reason = attempt.reason;
    switch (attempt.end) {
        case AttemptEnd::Open:
            if (isAlive(attempt, contract.execution.leaseSeconds, now)) {
                status.standing = JobStanding::Running;
            } else {
                status.standing = JobStanding::Lost;
                status.reason = existenceOf(attempt.process) == Existence::Gone
                                    ? "its process ended without a word"
                                    : fmt::format("no sign of it for over {:.0f} s",
                                                  contract.execution.leaseSeconds);
            }
            break;
        case AttemptEnd::Done:
            status.reason =
                contract.evaluation ? "compressed, not evaluated yet" : "its result is gone";
            break;
        case AttemptEnd::Again:
            break;
        case AttemptEnd::Never:
        case AttemptEnd::Failed:
            status.standing = JobStanding::Failed;
            status.never = attempt.end == AttemptEnd::Never;
            break;
    }
}

// Whether the store knows of what was measured, as far as rows without their settings tell.
bool hasAnswers(const SweepContract& contract, const RunRow& run) {
    if (!contract.evaluation) {
        return true;
    }
    const std::vector<std::string>& tasks = contract.evaluation->tasks.tasks;
    return (contract.evaluation->text.empty() || !run.evaluations.empty()) &&
           std::all_of(tasks.begin(), tasks.end(), [&](const std::string& task) {
               return std::any_of(run.taskResults.begin(), run.taskResults.end(),
                                  [&](const TaskResultRow& row) {
                                      return row.task == task || row.task.starts_with(task + "_");
                                  });
           });
}

}  // namespace

const char* name(JobStanding standing) {
    switch (standing) {
        case JobStanding::Done:
            return "done";
        case JobStanding::Running:
            return "running";
        case JobStanding::Waiting:
            return "waiting";
        case JobStanding::Failed:
            return "failed";
        case JobStanding::Lost:
            return "lost";
    }
    return "";
}

std::vector<JobStatus> statusOf(const SweepContract& contract) {
    const fs::file_time_type now = timeOfFileSystem(contract.folder());
    std::vector<JobStatus> all;
    for (std::size_t job = 0; job < contract.jobs.size(); ++job) {
        JobStatus& status = all.emplace_back();
        const auto attempt = newestAttempt(contract.stateOf(job));
        if (attempt) {
            takeAttempt(contract, *attempt, now, status);
        } else {
            status.reason = "not begun";
        }
        // After the attempt: one that ends meanwhile has its result by now.
        if (const auto result = jobResult(contract, job)) {
            status.standing = JobStanding::Done;
            status.reason.clear();
            status.run = result->run;
            status.perplexity = result->perplexity;
        } else {
            status.matrices = solvedMatrices(contract.runOf(job));
        }
    }
    return all;
}

bool isLeft(const JobStatus& status) {
    return status.standing == JobStanding::Waiting || status.standing == JobStanding::Lost ||
           (status.standing == JobStanding::Failed && !status.never);
}

MergeSummary mergeInto(RunStore& store, const SweepContract& contract,
                       const std::vector<JobStatus>& jobs) {
    std::map<std::string, RunRow> known;
    RunFilter all;
    all.includeArchived = true;
    for (RunRow& run : store.list(all)) {
        std::string id = run.id;
        known.emplace(std::move(id), std::move(run));
    }
    MergeSummary summary;
    std::vector<std::size_t> missing;
    for (std::size_t job = 0; job < jobs.size(); ++job) {
        if (jobs[job].standing != JobStanding::Done) {
            continue;
        }
        const auto there = known.find(jobs[job].run);
        const bool isWhole = there != known.end() && there->second.status == "finished" &&
                             hasAnswers(contract, there->second);
        const bool isElsewhere = there != known.end() &&
                                 there->second.directory != contract.runOf(job).string() &&
                                 runIdIn(there->second.directory) == jobs[job].run;
        if (isWhole || isElsewhere) {
            ++summary.known;
        } else {
            missing.push_back(job);
        }
    }
    if (missing.size() > kOneByOne) {
        ImportSummary imported = store.importTree(contract.runs());
        summary.notes = std::move(imported.notes);
        summary.notes.insert(summary.notes.end(), imported.warnings.begin(),
                             imported.warnings.end());
    }
    for (const std::size_t job : missing) {
        try {
            if (missing.size() <= kOneByOne) {
                store.importRun(contract.runOf(job), &summary.notes);
            }
            for (const std::string& tag : contract.tags) {
                store.tag(jobs[job].run, tag);
            }
            ++summary.merged;
        } catch (const Error& error) {
            summary.notes.emplace_back(error.what());
        }
    }
    return summary;
}

}  // namespace cospadi
