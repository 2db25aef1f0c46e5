// `cospadi sweep`: a grid of runs from flags or a file, one after the other.
#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "app/cli/run_command.h"
#include "app/cli/session.h"
#include "app/cli/sweep_control.h"
#include "app/cli/sweep_dry_run.h"
#include "app/cli/sweep_flags.h"
#include "app/cli/sweep_hand_over.h"
#include "app/cli/sweep_plan.h"
#include "app/cli/sweep_result.h"
#include "app/cli/sweep_status.h"
#include "core/base/error.h"
#include "core/base/printable_text.h"
#include "core/base/resources.h"
#include "core/sweep/sweep.h"

namespace cospadi::cli {

namespace {

using nlohmann::json;

// ", piqa/acc 0.6200, …": of many tasks the first, as a line has to hold them.
std::string accuraciesText(const std::vector<TaskResultRow>& results) {
    constexpr std::size_t kMost = 8;
    std::string text;
    std::size_t shown = 0;
    for (const TaskResultRow& row : results) {
        if (shown++ < kMost) {
            text += fmt::format(", {}/{} {:.4f}", row.task, row.metric, row.value);
        }
    }
    return text + (shown > kMost ? ", …" : "");
}

int sweep(const Session& session, const SweepFlags& flags) {
    if (flags.source.empty()) {
        throw UsageError("no model is named", "sweep",
                         "name one, or a file with a grid; see cospadi sweep --help");
    }
    if (flags.on.empty()) {
        refuseGiven(flags.ofScheduler, "is of jobs that a scheduler gets, and none is named",
                    "add --on slurm, or leave it out");
    }
    if (!flags.writeJobs.empty() || !flags.on.empty() || namesContract(flags)) {
        return handOver(session, flags);
    }
    refuseGiven(flags.ofFile, "is of a sweep file, and none is written",
                "add --write-jobs FILE, or leave it out");
    const SweepFile file = sweepFileOf(flags);
    SweepOptions sweepOptions;
    if (!file.evaluate.text.empty()) {
        asUsage([&] { file.evaluate.options.validate(); });
        sweepOptions.evaluate = file.evaluate.options;
        sweepOptions.text = namedText(file.evaluate.text);
        if (!std::filesystem::exists(sweepOptions.text)) {
            throw Error("there is no such text", file.evaluate.text,
                        "give a file, or the word wikitext2");
        }
    }
    std::optional<PlannedTasks> tasks;
    if (!file.evaluate.tasks.tasks.empty()) {
        tasks.emplace(file.evaluate.tasks);
        sweepOptions.tasks = &*tasks;
        if (!tasks->sampled().empty()) {
            fmt::print(stderr,
                       "{}: samples that ship with the program, not the whole sets (`cospadi data "
                       "fetch`)\n",
                       fmt::join(tasks->sampled(), ", "));
        }
    }
    const ComputeDevice device = flags.device.open();
    const SweepPlan planned = sweepPlan(file);
    const std::vector<SweepJob>& jobs = planned.jobs;
    if (flags.dryRun) {
        return dryRun(session, planned, device.description, sweepOptions);
    }
    fmt::print(stderr, "{}", combinationsText(planned));
    const std::vector<std::string> descriptions = describeJobs(jobs);
    RunProgress progress;
    ProgressLine line;
    sweepOptions.execution.writeModel = flags.models;
    sweepOptions.execution.partialModel = flags.models;
    sweepOptions.execution.device = device;
    sweepOptions.execution.onEvent = [&](const json& event) {
        showAndIndex(progress, event, file.tags);
    };
    sweepOptions.evaluationProgress = session.progress(line);
    sweepOptions.evaluationNote = [&](const std::string& note) {
        line.clear();
        fmt::print(stderr, "      {}\n", printableLine(note));
    };
    sweepOptions.onStart = [&](std::size_t job) {
        fmt::print(stderr, "[{}/{}] {}\n", job + 1, jobs.size(), printableLine(descriptions[job]));
    };
    sweepOptions.onFinish = [&](std::size_t, const JobOutcome& outcome) {
        progress.clear();
        line.clear();
        if (!outcome.error.empty()) {
            fmt::print(stderr, "      {}: {}\n", name(outcome.state), printableLine(outcome.error));
        }
        if (outcome.state != JobState::Finished && !outcome.run.id.empty()) {
            indexRun(outcome.run.directory, file.tags);  // what was measured before
        } else if (outcome.state == JobState::Finished) {
            indexRun(outcome.run.directory, file.tags);
            fmt::print(
                stderr, "      {}mean error {:.4f}{}{}\n", outcome.skipped ? "done earlier: " : "",
                outcome.run.relativeError,
                outcome.perplexity ? fmt::format(", perplexity {:.3f}", *outcome.perplexity) : "",
                accuraciesText(outcome.taskResults));
        }
    };
    return printSweep(session, jobs, runSweep(jobs, sweepOptions, session.signals.token()));
}

}  // namespace

void addSweep(Command app, Session& session) {
    const Command command = app.addCommand(
        "sweep", "Many runs: every combination of the listed values; does what is left");
    auto flags = std::make_shared<SweepFlags>();
    addSweepFlags(command, *flags);
    command.allowCommand();
    struct OfFile {
        std::filesystem::path file;
        std::vector<std::int32_t> indices;
        std::int64_t index = 0;
    };
    auto given = std::make_shared<OfFile>();
    const auto add = [&](const char* name, const char* help) {
        const Command added = command.addCommand(name, help);
        added.addOption("FILE", given->file, "The file that `sweep --write-jobs` or `--on` wrote")
            .required();
        return added;
    };
    const Command status =
        add("status", "How far a sweep file is, and why; takes finished runs into the store");
    const Command cancel =
        add("cancel", "Ends what is at work or in Slurm's queue; finished matrices stay");
    cancel.addOption("--index", given->indices, "Jobs of the file, from 0 on [all]").delimiter(',');
    const Command resume = add("resume", "Submits what is missing, as the last time");
    const Command follow =
        add("follow", "Prints the events of a job as JSON lines, while it goes on");
    follow.addOption("--index", given->index, "The job, from 0 on").required();
    for (const Command& one : {status, cancel, resume}) {
        one.addFlag("--json", session.json, "Print one JSON object on stdout and nothing else");
    }
    // The outer command is called last: it decides.
    finishCommand(command, session, [&session, flags, given, status, cancel, resume, follow] {
        return status.isChosen()   ? sweepStatus(session, given->file)
               : cancel.isChosen() ? sweepCancel(session, given->file, given->indices)
               : resume.isChosen() ? sweepResume(session, given->file)
               : follow.isChosen() ? sweepFollow(session, given->file, given->index)
                                   : sweep(session, *flags);
    });
}

}  // namespace cospadi::cli
