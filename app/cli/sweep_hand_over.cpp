#include "app/cli/sweep_hand_over.h"

#include <fmt/format.h>

#include <optional>

#include "app/cli/sweep_plan.h"
#include "core/base/error.h"
#include "core/base/printable_text.h"
#include "core/base/resources.h"
#include "core/base/sha256.h"
#include "core/base/shell_word.h"
#include "core/base/thread_pool.h"
#include "core/cluster/sweep_contract.h"
#include "core/schedulers/slurm_submission.h"
#include "core/schedulers/workflow_file.h"
#include "core/store/locations.h"
#include "core/store/run_file.h"
#include "core/store/run_store.h"
#include "core/sweep/sweep_estimate.h"
#include "core/tensors/atomic_file.h"

namespace cospadi::cli {

namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr double kSecondsAnHour = 3600;

ContractedEvaluation evaluationOf(const SweepEvaluation& evaluate) {
    ContractedEvaluation contracted;
    if (!evaluate.tasks.tasks.empty()) {
        const PlannedTasks tasks(evaluate.tasks);
        contracted.tasks = tasks.plan();
        contracted.taskData = tasks.data();
    }
    if (evaluate.text.empty()) {
        return contracted;
    }
    asUsage([&] { evaluate.options.validate(); });
    const fs::path text = fs::absolute(namedText(evaluate.text)).lexically_normal();
    if (!fs::exists(text)) {
        throw Error("there is no such text", evaluate.text, "give a file, or the word wikitext2");
    }
    contracted.text = text.string();
    contracted.textSha256 = sha256OfFile(text);
    contracted.options = evaluate.options;
    return contracted;
}

// Without --write-jobs: among the user's sweeps, by what it is to do, so that the same command
// finds it again.
fs::path placeOf(const SweepContract& contract) {
    const std::string content = sha256OfString(contractText(contract)).substr(0, 12);
    return dataDirectory() / "sweeps" / ("sweep-" + content) / "sweep.json";
}

SweepContract contractFrom(const SweepFlags& flags) {
    const SweepFile file = sweepFileOf(flags);
    const std::vector<RunSpecification> grid = asUsage([&] { return expandGrid(file.grid); });
    std::vector<RunSpecification> specifications;
    for (SweepJob& job : planSweep(grid, {})) {  // resolved, equal ones once
        specifications.push_back(std::move(job.specification));
    }
    SweepContract contract = contractOf(flags.writeJobs, specifications);
    contract.name = file.name;
    contract.tags = file.tags;
    contract.execution.device = flags.device.device;
    contract.execution.tf32 = flags.device.tf32;
    contract.execution.models = flags.models;
    contract.execution.leaseSeconds = flags.leaseSeconds;
    if (!file.evaluate.text.empty() || !file.evaluate.tasks.tasks.empty()) {
        contract.evaluation = evaluationOf(file.evaluate);
    }
    if (flags.writeJobs.empty()) {
        contract.file = placeOf(contract);
    }
    return contract;
}

SlurmOptions slurmOptions(const SweepFlags& flags, const SweepContract& contract) {
    SlurmOptions options = flags.slurm;
    asUsage([&] { validate(options); });
    if (!options.gpus.empty() && contract.execution.device == "cpu") {
        throw UsageError("requests devices, but the jobs compute on the CPU", "--gpus",
                         "add --device cuda when writing the sweep, or omit --gpus");
    }
    if (!options.setup.empty()) {
        options.setup = fs::absolute(options.setup).lexically_normal();
    }
    return options;
}

// Of what is left, by the rates of this machine.
double coreHours(const SweepContract& contract) {
    std::vector<RunSpecification> specifications;
    for (std::size_t job = 0; job < contract.jobs.size(); ++job) {
        specifications.push_back(jobSpecification(contract, job));
    }
    const auto rates = MeasuredRates::ofThisMachine(RunStore::openForReading(storePath()),
                                                    contract.execution.device);
    const int cores = ThreadPool::availableCores();
    double seconds = 0;
    for (const JobEstimate& estimate : estimateSweep(planSweep(specifications, contract.runs()),
                                                     rates, cores, JobOrder::AtOnce)) {
        seconds += estimate.seconds + estimate.calibrationSeconds;
    }
    return seconds * cores / kSecondsAnHour;
}

std::string stepText(const SlurmStep& step) {
    const std::string command = shellLine(step.command);
    return fmt::format("{:<10} {:>10} {}\n{}", name(step.array.stage),
                       counted(static_cast<std::int64_t>(step.array.tasks.size()), "task"),
                       step.id.empty() ? "not submitted" : "as " + step.id,
                       command.empty() ? "" : "  " + printableLine(command) + "\n");
}

json stepJson(const SlurmStep& step) {
    return {{"stage", name(step.array.stage)},
            {"tasks", step.array.tasks.size()},
            {"offset", step.array.offset},
            {"command", step.command},
            {"id", step.id}};
}

json submissionJson(const SweepContract& contract, const SlurmSubmission& submission) {
    json steps = json::array();
    for (const SlurmStep& step : submission.steps) {
        steps.push_back(stepJson(step));
    }
    return {{"sweep", contract.file.string()},
            {"jobs", contract.jobs.size()},
            {"done", submission.done},
            {"at_work", submission.atWork},
            {"queued", submission.queued},
            {"never", submission.never},
            {"arrays", steps}};
}

std::string leftOutText(const SweepContract& contract, const SlurmSubmission& submission) {
    return fmt::format("{}: {} done, {} at work, {} in the queue, {} that cannot succeed\n",
                       counted(static_cast<std::int64_t>(contract.jobs.size()), "job"),
                       submission.done, submission.atWork, submission.queued, submission.never);
}

std::string measuredText(const SweepContract& contract) {
    if (!contract.evaluation) {
        return "";
    }
    std::string what = contract.evaluation->text.empty() ? "" : "perplexity";
    for (const std::string& task : contract.evaluation->tasks.tasks) {
        what += (what.empty() ? "" : ", ") + task;
    }
    return fmt::format("; measuring {} is not included", what);
}

int dryRunOnSlurm(const Session& session, const SweepContract& contract,
                  const SlurmOptions& options) {
    const SlurmSubmission planned = plannedSubmission(contract, options);
    json object = submissionJson(contract, planned);
    std::string text;
    json scripts = json::object();
    for (const auto& [file, script] : slurmScripts(contract, options)) {
        scripts[file.string()] = script;
        text += fmt::format("{}:\n{}\n", file.string(), script);
    }
    const double hours = coreHours(contract);
    for (const SlurmStep& step : planned.steps) {
        text += stepText(step);
    }
    text += leftOutText(contract, planned);
    text += fmt::format(
        "about {:.2f} core-hours at the rates measured on this machine{}\nNothing was started.\n",
        hours, measuredText(contract));
    object["scripts"] = scripts;
    object["core_hours"] = hours;
    session.print(text, object);
    return kOk;
}

std::string editText(const WorkflowFile& workflow) {
    return workflow.edit.empty()
               ? ""
               : fmt::format("To be edited, marked EDIT: {}.\n", fmt::join(workflow.edit, ", "));
}

// The file for an engine that distributes the jobs by itself; starting it is its user's.
int writeWorkflow(const Session& session, const SweepContract& contract,
                  const WorkflowFile& workflow, bool dryRun) {
    const json object{{"sweep", contract.file.string()}, {"jobs", contract.jobs.size()},
                      {"file", workflow.file.string()},  {"text", workflow.text},
                      {"start", workflow.start},         {"edit", workflow.edit}};
    if (dryRun) {
        session.print(
            fmt::format("{}:\n{}\nNothing was written.\n", workflow.file.string(), workflow.text),
            object);
        return kOk;
    }
    fs::create_directories(workflow.file.parent_path());
    writeFileAtomically(workflow.file, workflow.text);
    session.print(
        fmt::format(
            "{} in {}\n{}Start it with: {}\nShow its progress with: cospadi sweep status {}\n",
            counted(static_cast<std::int64_t>(contract.jobs.size()), "job"), workflow.file.string(),
            editText(workflow), workflow.start, shellWord(contract.file.string())),
        object);
    return kOk;
}

}  // namespace

int submit(const Session& session, const SweepContract& contract, const SlurmOptions& options) {
    const SlurmSubmission submission = submitToSlurm(contract, options);
    std::string text = leftOutText(contract, submission);
    for (const SlurmStep& step : submission.steps) {
        text += stepText(step);
    }
    text += submission.steps.empty() ? "There is nothing to start.\n" : "";
    text +=
        fmt::format("Show its progress with: cospadi sweep status {}\n", contract.file.string());
    json object = submissionJson(contract, submission);
    object["problem"] = submission.problem;
    session.print(text, object);
    if (submission.problem.empty()) {
        return kOk;
    }
    fmt::print(stderr,
               "cospadi: an array was rejected: {} (those before it are in the queue; run the same "
               "command again to submit the rest)\n",
               printableText(submission.problem));
    return kFailed;
}

bool namesContract(const SweepFlags& flags) {
    std::error_code failed;
    const fs::path source = flags.source;
    return source.extension() == ".json" && fs::is_regular_file(source, failed) &&
           isContract(readRunJson(source));
}

int handOver(const Session& session, const SweepFlags& flags) {
    const bool isWritten = namesContract(flags);
    if (isWritten && flags.on.empty()) {
        throw UsageError(
            "is already a sweep file", flags.source,
            fmt::format("add --on slurm, or run it here: cospadi job --sweep {} --left",
                        flags.source));
    }
    if (isWritten) {
        refuseGiven(flags.ofSweep,
                    fmt::format("cannot be changed after {} has been written", flags.source),
                    "omit it, or write another sweep file");
    }
    const SweepContract contract = isWritten ? readContract(flags.source) : contractFrom(flags);
    if (isWritten) {
        requireOwnRevision(contract);
    }
    if (flags.on.empty() && flags.dryRun) {
        throw UsageError("cannot be combined with --write-jobs unless --on is given", "--dry-run",
                         "omit one of the two");
    }
    const SlurmOptions options = slurmOptions(flags, contract);
    std::optional<WorkflowFile> workflow;
    if (!flags.on.empty() && flags.on != kSlurm) {
        workflow = asUsage([&] { return workflowFile(flags.on, contract, options, ownProgram()); });
    }
    if (flags.dryRun) {
        return workflow ? writeWorkflow(session, contract, *workflow, true)
                        : dryRunOnSlurm(session, contract, options);
    }
    if (!isWritten) {
        writeContract(contract);
    }
    if (workflow) {
        return writeWorkflow(session, contract, *workflow, false);
    }
    if (!flags.on.empty()) {
        return submit(session, contract, options);
    }
    session.print(
        fmt::format(
            "{} in {}\ncospadi job --sweep {} --index N runs one of them, numbered from 0\n",
            counted(static_cast<std::int64_t>(contract.jobs.size()), "job"), contract.file.string(),
            contract.file.string()),
        {{"sweep", contract.file.string()}, {"jobs", contract.jobs.size()}});
    return kOk;
}

}  // namespace cospadi::cli
