#include "core/cluster/sweep_status.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>

#include "core/base/error.h"
#include "core/base/temporary_name.h"
#include "core/base/thread_pool.h"
#include "core/cluster/job_calibrations.h"
#include "core/cluster/job_result.h"
#include "core/cluster/lease.h"
#include "core/run/evaluate_run.h"
#include "core/store/matrix_folders.h"
#include "core/store/run_directory.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kJobsOfAThread = 64;
constexpr std::size_t kMostThreads = 16;
constexpr std::size_t kProbe = 64 << 10;  // bytes: with less a job cannot do anything

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
                                    ? "its process ended without a message"
                                    : fmt::format("no sign of life for over {:.0f} s",
                                                  contract.execution.leaseSeconds);
            }
            break;
        case AttemptEnd::Done:
            status.reason = contract.evaluation ? "compressed, not evaluated yet"
                                                : "its result no longer exists";
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

// To jobs that may wait for one, as they have no matrix yet.
void tellOfCalibrations(const SweepContract& contract, fs::file_time_type now,
                        std::vector<JobStatus>& jobs) {
    CalibrationsAtWork calibrations(contract, [&](const Attempt& attempt) {
        return isAlive(attempt, contract.execution.leaseSeconds, now);
    });
    for (std::size_t job = 0; job < jobs.size() && !calibrations.empty(); ++job) {
        JobStatus& status = jobs[job];
        const bool isOver =
            status.standing == JobStanding::Done || status.standing == JobStanding::Failed;
        const Attempt* attempt = isOver || status.matrices > 0 ? nullptr : calibrations.of(job);
        if (attempt != nullptr) {
            status.reason += fmt::format("{}its calibration is being computed by {}",
                                         status.reason.empty() ? "" : "; ", processText(*attempt));
        }
    }
}

std::map<std::string, RunRow> runsIn(const RunStore& store) {
    std::map<std::string, RunRow> runs;
    RunFilter all;
    all.includeArchived = true;
    for (RunRow& run : store.list(all)) {
        std::string id = run.id;
        runs.emplace(std::move(id), std::move(run));
    }
    return runs;
}

// Those that its job has not written to it: of a run that another sweep made.
void addTags(RunStore& store, const RunRow& run, const std::vector<std::string>& tags,
             std::vector<std::string>& notes) {
    for (const std::string& tag : tags) {
        if (std::find(run.tags.begin(), run.tags.end(), tag) != run.tags.end()) {
            continue;
        }
        try {
            store.tag(run.id, tag);
        } catch (const Error& error) {
            notes.emplace_back(error.what());
        }
    }
}

bool knowsPerplexity(const ContractedEvaluation& asked, const RunRow& run) {
    return std::any_of(run.evaluations.begin(), run.evaluations.end(), [&](const EvaluationRow& e) {
        return e.textSha256 == asked.textSha256 && e.context == asked.options.context &&
               e.maxTokens == asked.options.maxTokens && e.score == name(asked.options.score);
    });
}

// By name: how many of a task's items there are in all, the rows do not tell.
bool knowsTask(const std::string& task, const RunRow& run) {
    return std::any_of(run.taskResults.begin(), run.taskResults.end(),
                       [&](const TaskResultRow& row) {
                           return row.task == task || row.task.starts_with(task + "_");
                       });
}

// Whether the store knows of what was measured.
bool hasAnswers(const SweepContract& contract, const RunRow& run) {
    if (!contract.evaluation) {
        return true;
    }
    const ContractedEvaluation& asked = *contract.evaluation;
    return (asked.text.empty() || knowsPerplexity(asked, run)) &&
           std::all_of(asked.tasks.tasks.begin(), asked.tasks.tasks.end(),
                       [&](const std::string& task) { return knowsTask(task, run); });
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
    std::vector<JobStatus> all(contract.jobs.size());
    // Of a few small files a job: on a network file system nearly all is waiting.
    ThreadPool pool(
        static_cast<int>(std::clamp<std::size_t>(all.size() / kJobsOfAThread, 1, kMostThreads)));
    pool.run(static_cast<std::int64_t>(all.size()), [&](std::int64_t i) {
        const auto job = static_cast<std::size_t>(i);
        JobStatus& status = all[job];
        const auto attempt = newestAttempt(contract.stateOf(job));
        if (attempt) {
            takeAttempt(contract, *attempt, now, status);
        } else {
            status.reason = "not started";
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
    });
    tellOfCalibrations(contract, now, all);
    return all;
}

bool isLeft(const JobStatus& status) {
    return status.standing == JobStanding::Waiting || status.standing == JobStanding::Lost ||
           (status.standing == JobStanding::Failed && !status.never);
}

std::string lackOfRoom(const SweepContract& contract) {
    const fs::path probe = temporaryNameOf(contract.folder() / "room");
    const int file = ::open(probe.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644);
    int problem = file < 0 ? errno : 0;
    if (file >= 0) {
        const std::string content(kProbe, 'x');
        const ssize_t written = ::write(file, content.data(), content.size());
        // Written in part: nothing told why not the rest, and there is no other reason.
        problem = written < 0 ? errno : static_cast<std::size_t>(written) < kProbe ? ENOSPC : 0;
        if (::close(file) != 0 && problem == 0) {  // network file systems tell it here
            problem = errno;
        }
        ::unlink(probe.c_str());
    }
    return problem == ENOSPC || problem == EDQUOT ? std::strerror(problem) : "";
}

MergeSummary mergeInto(RunStore& store, const SweepContract& contract,
                       const std::vector<JobStatus>& jobs) {
    const std::map<std::string, RunRow> known = runsIn(store);
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
            addTags(store, there->second, contract.tags, summary.notes);
        } else {
            missing.push_back(job);
        }
    }
    if (missing.empty()) {
        return summary;
    }
    std::vector<fs::path> directories;
    for (const std::size_t job : missing) {
        directories.push_back(contract.runOf(job));
    }
    ImportSummary imported = store.importRuns(directories);
    for (std::vector<std::string>* notes : {&imported.notes, &imported.warnings}) {
        summary.notes.insert(summary.notes.end(), notes->begin(), notes->end());
    }
    const std::map<std::string, RunRow> now = runsIn(store);
    for (const std::size_t job : missing) {
        const auto there = now.find(jobs[job].run);
        if (there == now.end() || there->second.status != "finished") {
            continue;  // the notes say why
        }
        ++summary.merged;
        addTags(store, there->second, contract.tags, summary.notes);
    }
    return summary;
}

}  // namespace cospadi
