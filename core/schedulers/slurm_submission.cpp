#include "core/schedulers/slurm_submission.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "core/base/error.h"
#include "core/cluster/sweep_status.h"
#include "core/schedulers/slurm_queue.h"
#include "core/store/folder_lock.h"
#include "core/store/run_file.h"
#include "core/tensors/atomic_file.h"
#include "core/tensors/bounded_json.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kUsualArraySize = 1001;  // Slurm's own, where it is not set

std::vector<std::string> linesOf(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(line);
    }
    return lines;
}

std::size_t maxArraySize(const std::string& configuration) {
    std::smatch found;
    const std::regex line(R"(MaxArraySize\s*=\s*([0-9]{1,9}))");
    if (!std::regex_search(configuration, found, line)) {
        return kUsualArraySize;
    }
    return std::max<std::size_t>(1, std::stoul(found[1]));
}

std::size_t maxArraySizeHere() {
    const SlurmAnswer answer = askSlurm({"scontrol", "show", "config"});
    if (answer.exitCode != 0) {
        throw Error("Slurm does not answer: " + answer.text, "scontrol show config",
                    "try again when its controller is up");
    }
    return maxArraySize(answer.text);
}

// In a comment of the array, so that the queue itself says which jobs of the list it has.
std::string commentOf(const SlurmArray& array) {
    return array.bundle == 1
               ? fmt::format("{}:{}", name(array.stage), array.offset)
               : fmt::format("{}:{}:{}", name(array.stage), array.offset, array.bundle);
}

// Those with a task in the queue that compresses or evaluates.
std::set<std::size_t> queuedJobs(const SweepContract& contract) {
    std::set<std::size_t> jobs;
    for (const SlurmTask& task : slurmTasks(contract)) {
        jobs.insert(task.jobs.begin(), task.jobs.end());
    }
    return jobs;
}

fs::path slurmFolder(const SweepContract& contract) { return contract.folder() / "slurm"; }

fs::path optionsOf(const SweepContract& contract) { return slurmFolder(contract) / "options.json"; }

fs::path scriptOf(const SweepContract& contract, JobStage stage) {
    return slurmFolder(contract) / fmt::format("{}.sh", name(stage));
}

std::string dependencyOf(const SlurmSubmission& submission, const SlurmArray& array) {
    std::string ids;
    for (const std::size_t before : array.after) {
        ids += ":" + submission.steps[before].id;
    }
    return ids.empty() ? "" : (array.stage == JobStage::Evaluate ? "aftercorr" : "afterany") + ids;
}

std::vector<std::string> commandOf(const SweepContract& contract, const SlurmOptions& options,
                                   const SlurmSubmission& submission, const SlurmArray& array) {
    std::vector<std::string> command{"sbatch", "--parsable",
                                     "--array=" + arrayText(array.tasks, options.arrayLimit),
                                     "--comment=" + commentOf(array)};
    if (const std::string dependency = dependencyOf(submission, array); !dependency.empty()) {
        command.push_back("--dependency=" + dependency);
        // An evaluation whose compression failed would wait for ever.
        command.emplace_back("--kill-on-invalid-dep=yes");
    }
    command.push_back(scriptOf(contract, array.stage).string());
    command.push_back(std::to_string(array.offset));
    return command;
}

// The arrays that are left, without the jobs in `queued`.
SlurmSubmission leftOf(const SweepContract& contract, const std::set<std::size_t>& queued,
                       std::size_t arraySize, int bundle) {
    SlurmSubmission submission;
    std::vector<std::size_t> jobs;
    const std::vector<JobStatus> all = statusOf(contract);
    for (std::size_t job = 0; job < all.size(); ++job) {
        if (isLeft(all[job])) {
            queued.contains(job) ? static_cast<void>(++submission.queued) : jobs.push_back(job);
        } else {
            submission.done += all[job].standing == JobStanding::Done ? 1 : 0;
            submission.atWork += all[job].standing == JobStanding::Running ? 1 : 0;
            submission.never += all[job].never ? 1 : 0;
        }
    }
    for (SlurmArray& array :
         slurmArrays(contract, jobs, arraySize, static_cast<std::size_t>(bundle))) {
        submission.steps.push_back({std::move(array), {}, ""});
    }
    return submission;
}

// "17", or "17;cluster"; warnings may stand before it.
std::string idIn(const std::string& text) {
    std::string id;
    for (const std::string& line : linesOf(text)) {
        std::smatch found;
        if (std::regex_match(line, found, std::regex("([0-9]+)(;.*)?"))) {
            id = found[1];
        }
    }
    return id;
}

}  // namespace

fs::path ownProgram() {
    std::error_code failed;
    const fs::path program = fs::read_symlink("/proc/self/exe", failed);
    return failed ? fs::path("cospadi") : program;
}

std::vector<std::pair<fs::path, std::string>> slurmScripts(const SweepContract& contract,
                                                           const SlurmOptions& options) {
    const std::string setup = options.setup.empty() ? "" : readTextFile(options.setup);
    std::vector<std::pair<fs::path, std::string>> scripts;
    const std::vector<JobStage> stages =
        options.bundle > 1
            ? std::vector{JobStage::Calibrate, JobStage::All}
            : std::vector{JobStage::Calibrate, JobStage::Compress, JobStage::Evaluate};
    for (const JobStage stage : stages) {
        scripts.emplace_back(scriptOf(contract, stage),
                             slurmScript(contract, stage, options, setup, ownProgram()));
    }
    return scripts;
}

SlurmSubmission plannedSubmission(const SweepContract& contract, const SlurmOptions& options) {
    std::size_t arraySize = kUsualArraySize;
    try {
        arraySize = maxArraySizeHere();
    } catch (const Error&) {  // a plan can be made without it
    }
    SlurmSubmission submission = leftOf(contract, {}, arraySize, options.bundle);
    for (std::size_t i = 0; i < submission.steps.size(); ++i) {
        SlurmStep& step = submission.steps[i];
        step.id = fmt::format("{}-{}", name(step.array.stage), i);
        step.command = commandOf(contract, options, submission, step.array);
    }
    return submission;
}

SlurmSubmission submitToSlurm(const SweepContract& contract, const SlurmOptions& options) {
    const std::size_t arraySize = maxArraySizeHere();
    const FolderLock lock(slurmFolder(contract));
    SlurmSubmission submission = leftOf(contract, queuedJobs(contract), arraySize, options.bundle);
    if (submission.steps.empty()) {
        return submission;
    }
    std::error_code failed;
    fs::create_directories(slurmFolder(contract) / "logs", failed);  // the next line tells
    for (const auto& [file, script] : slurmScripts(contract, options)) {
        writeFileAtomically(file, script);
    }
    // Before anything is submitted: on a disk that is full by then nobody would know how it was.
    const auto earlier = lastSlurmOptions(contract);
    const fs::path kept = optionsOf(contract);
    writeFileAtomically(kept, toJson(options).dump(1) + "\n");
    for (SlurmStep& step : submission.steps) {
        step.command = commandOf(contract, options, submission, step.array);
        const SlurmAnswer answer = askSlurm(step.command);
        step.id = answer.exitCode == 0 ? idIn(answer.text) : "";
        if (step.id.empty()) {
            submission.problem = answer.text;
            break;
        }
    }
    if (submission.steps.front().id.empty()) {
        if (earlier) {
            writeFileAtomically(kept, toJson(*earlier).dump(1) + "\n");
        } else {
            fs::remove(kept, failed);
        }
    }
    return submission;
}

std::size_t cancelOnSlurm(const SweepContract& contract,
                          const std::optional<std::vector<std::size_t>>& jobs) {
    std::vector<std::string> command{"scancel"};
    for (const SlurmTask& task : slurmTasks(contract)) {
        const bool isMeant =
            !jobs || std::any_of(task.jobs.begin(), task.jobs.end(), [&](std::size_t job) {
                return std::find(jobs->begin(), jobs->end(), job) != jobs->end();
            });
        if (isMeant) {
            command.push_back(task.id);
        }
    }
    const std::size_t tasks = command.size() - 1;
    if (tasks == 0) {
        return 0;
    }
    if (!jobs) {  // in a word, however many they are
        command = {"scancel", "--name", slurmJobName(contract)};
    }
    const SlurmAnswer answer = askSlurm(command);
    if (answer.exitCode != 0) {
        throw Error("Slurm did not cancel: " + answer.text, "scancel",
                    "check squeue; jobs already cancelled remain cancelled");
    }
    return tasks;
}

std::optional<SlurmOptions> lastSlurmOptions(const SweepContract& contract) {
    const fs::path file = optionsOf(contract);
    std::error_code failed;
    if (!fs::exists(file, failed)) {
        return std::nullopt;
    }
    try {
        constexpr std::uintmax_t largest = 64 << 10;
        return slurmOptionsFromJson(readBoundedJson(file, largest, 2));
    } catch (const Error&) {
        return std::nullopt;
    }
}

}  // namespace cospadi
