#include "core/schedulers/slurm_queue.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>

#include "core/base/child_process.h"
#include "core/base/error.h"
#include "core/schedulers/slurm_script.h"

namespace cospadi {

namespace {

constexpr int kNotFound = 127;
constexpr std::size_t kMostBundled = 1'000'000;
// Of squeue: array and task, its number in the array, the comment, state, node, reason.
constexpr const char* kColumns = "%i %K %k %T %N %r";
constexpr std::array kEnds{"BOOT_FAIL", "CANCELLED",     "COMPLETED", "DEADLINE", "FAILED",
                           "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "REVOKED",  "TIMEOUT"};

// Up to the next `end`, which is taken off, too; all where there is none.
std::string_view takeUntil(std::string_view& text, char end) {
    const std::string_view part = text.substr(0, text.find(end));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    return part;
}

std::optional<std::size_t> numberIn(std::string_view text) {
    std::size_t number = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    return failure == std::errc() && end == text.data() + text.size() ? std::optional(number)
                                                                      : std::nullopt;
}

// The comment of an array is STAGE:OFFSET or STAGE:OFFSET:BUNDLE (slurm_submission.cpp). Nothing
// for another line.
std::optional<SlurmTask> taskIn(std::string_view line) {
    SlurmTask task;
    task.id = takeUntil(line, ' ');
    const auto number = numberIn(takeUntil(line, ' '));
    std::string_view comment = takeUntil(line, ' ');
    const std::string stage(takeUntil(comment, ':'));
    const auto offset = numberIn(takeUntil(comment, ':'));
    const auto bundle = comment.empty() ? 1 : numberIn(comment);
    const bool isOne = task.id.find_first_not_of("0123456789_") == std::string::npos && number &&
                       offset && bundle && *bundle <= kMostBundled;
    if (!isOne) {
        return std::nullopt;
    }
    try {
        task.stage = jobStageFromName(stage);
    } catch (const Error&) {
        return std::nullopt;
    }
    if (task.stage != JobStage::Calibrate) {
        for (std::size_t i = 0; i < *bundle; ++i) {
            task.jobs.push_back(*offset + *number * *bundle + i);
        }
    }
    task.state = takeUntil(line, ' ');
    task.node = takeUntil(line, ' ');
    task.reason = line;
    return task;
}

}  // namespace

SlurmAnswer askSlurm(const std::vector<std::string>& command) {
    SlurmAnswer answer;
    answer.exitCode =
        runChild({command, {}, {}}, [&](std::string_view text) { answer.text += text; }).exitCode;
    if (answer.exitCode == kNotFound) {
        throw Error("there is no " + command.front() + " on the PATH: this machine has no Slurm",
                    "--on slurm",
                    "use a machine that submits to the cluster, or use --write-jobs FILE and run "
                    "`cospadi job` with another scheduler");
    }
    while (!answer.text.empty() && (answer.text.back() == '\n' || answer.text.back() == ' ')) {
        answer.text.pop_back();
    }
    return answer;
}

std::vector<SlurmTask> slurmTasks(const SweepContract& contract, SlurmTasks which) {
    std::vector<std::string> command{"squeue", "-h",    "-r", "-n", slurmJobName(contract),
                                     "-o",     kColumns};
    if (which == SlurmTasks::Ended) {
        command.emplace_back("--states=all");
    }
    const SlurmAnswer answer = askSlurm(command);
    if (answer.exitCode != 0) {
        throw Error("Slurm did not return its queue: " + answer.text, "squeue",
                    "try again when its controller is up");
    }
    std::vector<SlurmTask> tasks;
    std::string_view rest = answer.text;
    while (!rest.empty()) {
        if (auto task = taskIn(takeUntil(rest, '\n'))) {
            tasks.push_back(std::move(*task));
        }
    }
    return tasks;
}

bool isEnded(const SlurmTask& task) {
    return std::find(kEnds.begin(), kEnds.end(), task.state) != kEnds.end();
}

}  // namespace cospadi
