#include "core/schedulers/slurm_reasons.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "core/base/error.h"
#include "core/schedulers/slurm_queue.h"
#include "core/schedulers/slurm_submission.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;

constexpr std::streamoff kEndOfLog = 4096;  // bytes that are looked at
constexpr std::size_t kLongestLine = 400;
constexpr const char* kCancelled = "CANCELLED";
constexpr const char* kCompleted = "COMPLETED";

bool mayBeTold(const JobStatus& status) {
    return status.standing == JobStanding::Waiting || status.standing == JobStanding::Lost;
}

// The last line of the task's log with something in it; nothing where there is no log.
std::optional<std::string> lastWords(const SweepContract& contract, const SlurmTask& task) {
    std::ifstream log(contract.folder() / "slurm" / "logs" / (task.id + ".txt"), std::ios::binary);
    if (!log) {
        return std::nullopt;
    }
    log.seekg(0, std::ios::end);
    log.seekg(std::max<std::streamoff>(0, static_cast<std::streamoff>(log.tellg()) - kEndOfLog));
    std::string last;
    for (std::string line; std::getline(log, line);) {
        last = line.find_first_not_of(" \t\r") == std::string::npos ? last : line;
    }
    return last.substr(0, kLongestLine);
}

// Which of a job's tasks says most of it: one that is not over, else the newest whose stage did not
// succeed, before an evaluation that was dropped because of it.
bool saysMore(const SlurmTask& task, const SlurmTask& other) {
    const auto rank = [](const SlurmTask& t) {
        const bool isDropped = t.stage == JobStage::Evaluate && t.state.starts_with(kCancelled);
        return !isEnded(t) ? 3 : t.state == kCompleted ? 0 : isDropped ? 1 : 2;
    };
    const auto number = [](const SlurmTask& t) { return std::stoull("0" + t.id); };
    return rank(task) != rank(other) ? rank(task) > rank(other) : number(task) > number(other);
}

std::string endText(const SweepContract& contract, const SlurmTask& task, bool hasBegun) {
    const bool names = !task.reason.empty() && task.reason != "None";
    std::string text =
        fmt::format("Slurm ended {}{}: {}{}", task.id, task.node.empty() ? "" : " on " + task.node,
                    task.state, names ? " (" + task.reason + ")" : "");
    const auto words = lastWords(contract, task);
    if (words && !words->empty()) {
        return text + "; its log ends: " + *words;
    }
    // A task that is cancelled before it begins has no log, either.
    if (!words && !hasBegun && !task.node.empty()) {
        text += fmt::format(
            "; it wrote nothing here: check that {} can see and write {} under the same path",
            task.node, contract.folder().string());
    }
    return text;
}

void addReason(JobStatus& status, const std::string& text) {
    status.reason = status.attempts == 0 ? text : status.reason + "; " + text;
}

}  // namespace

std::string addSlurmReasons(const SweepContract& contract, std::vector<JobStatus>& jobs) {
    if (std::none_of(jobs.begin(), jobs.end(), mayBeTold) || !lastSlurmOptions(contract)) {
        return "";
    }
    std::vector<SlurmTask> tasks;
    try {
        tasks = slurmTasks(contract, SlurmTasks::Ended);
    } catch (const Error& error) {
        const bool isHere = error.where() == "squeue";
        return isHere ? error.problem() : "";
    }
    std::map<std::size_t, const SlurmTask*> byJob;
    for (const SlurmTask& task : tasks) {
        for (const std::size_t job : task.jobs) {
            const SlurmTask*& told = byJob[job];
            told = told == nullptr || saysMore(task, *told) ? &task : told;
        }
    }
    for (std::size_t job = 0; job < jobs.size(); ++job) {
        JobStatus& status = jobs[job];
        const auto told = byJob.find(job);
        if (!mayBeTold(status)) {
            continue;
        }
        if (told == byJob.end()) {
            if (status.attempts == 0) {
                status.reason = fmt::format(
                    "not started, and not in Slurm's queue: cancelled, or its node cannot see {}",
                    contract.folder().string());
            }
            continue;
        }
        const SlurmTask& task = *told->second;
        if (!isEnded(task)) {
            const bool names = !task.reason.empty() && task.reason != "None";
            addReason(status, fmt::format("in Slurm's queue as {}{}", task.id,
                                          names ? " (" + task.reason + ")" : ""));
        } else if (status.attempts == 0 || task.state != kCompleted) {
            addReason(status, endText(contract, task, status.attempts > 0));
            const bool couldNotBegin = status.attempts == 0 && !task.state.starts_with(kCancelled);
            status.standing = couldNotBegin ? JobStanding::Failed : status.standing;
        }
    }
    return "";
}

}  // namespace cospadi
