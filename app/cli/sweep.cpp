// `cospadi sweep`: a grid of runs from flags or a file, one after the other.
#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "app/cli/mean_error_text.h"
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
        throw UsageError("no model is given", "sweep",
                         "give one, or a file with a grid; see cospadi sweep --help");
    }
    if (flags.on.empty()) {
        refuseGiven(flags.ofScheduler, "applies to jobs for a scheduler, but none is given",
                    "add --on slurm, or omit it");
    }
    if (!flags.writeJobs.empty() || !flags.on.empty() || namesContract(flags)) {
        return handOver(session, flags);
    }
    refuseGiven(flags.ofFile, "applies to a sweep file, but none is written",
                "add --write-jobs FILE, or omit it");
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
                       "{}: samples shipped with the program, not the full data sets (`cospadi "
                       "data fetch`)\n",
                       fmt::join(tasks->sampled(), ", "));
        }
    }
    const ComputeDevice device = flags.device.open();
    sweepOptions.execution.writeModel = flags.models;
    sweepOptions.execution.partialModel = flags.models;
    sweepOptions.execution.device = device;
    const SweepPlan planned = sweepPlan(file);
    const std::vector<SweepJob>& jobs = planned.jobs;
    if (flags.dryRun) {
        return dryRun(session, planned, device.description, sweepOptions);
    }
    fmt::print(stderr, "{}", combinationsText(planned));
    const std::vector<std::string> descriptions = describeJobs(jobs);
    RunProgress progress;
    ProgressLine line;
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
        if (!outcome.run.id.empty()) {  // of one that has not finished, what was measured before
            indexOrWarn(outcome.run.directory, file.tags);
        }
        if (outcome.state == JobState::Finished) {
            fmt::print(
                stderr, "      {}{}{}{}\n", outcome.skipped ? "done earlier: " : "",
                meanErrorText(outcome.run.relativeError),
                outcome.perplexity ? fmt::format(", perplexity {:.3f}", *outcome.perplexity) : "",
                accuraciesText(outcome.taskResults));
        }
    };
    return printSweep(session, jobs, runSweep(jobs, sweepOptions, session.signals.token()));
}

}  // namespace

void addSweep(Command app, Session& session) {
    const Command command = app.addCommand(
        "sweep",
        "Make many runs: every combination of the listed values; finished runs are skipped");
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
        added.addOption("FILE", given->file, "Sweep file written by `sweep --write-jobs` or `--on`")
            .required();
        return added;
    };
    const Command status = add(
        "status", "Show a sweep's progress and its problems; imports finished runs into the store");
    const Command cancel =
        add("cancel", "Cancel jobs that run or are in Slurm's queue; finished matrices are kept");
    cancel.addOption("--index", given->indices, "Numbers of the jobs, from 0 [all]").delimiter(',');
    const Command resume =
        add("resume", "Submit what is missing, with the options of the last submission");
    const Command follow = add("follow", "Print the events of a job as JSON lines while it runs");
    follow.addOption("--index", given->index, "Number of the job, from 0").required();
    for (const Command& one : {status, cancel, resume}) {
        one.addFlag("--json", session.json, "Print a single JSON object on stdout");
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
