// `cospadi reproduce`: tables and figures of the paper from one's own runs (docs/reproduce.md).
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "app/cli/load_program.h"
#include "app/cli/reproduce_bundle.h"
#include "app/cli/reproduce_files.h"
#include "app/cli/reproduce_progress.h"
#include "app/cli/reproduce_text.h"
#include "app/cli/result_json.h"
#include "app/cli/run_command.h"
#include "app/cli/session.h"
#include "app/cli/suggestion.h"
#include "core/base/printable_text.h"
#include "core/base/resources.h"
#include "core/base/thread_pool.h"
#include "core/bundle/bundle.h"
#include "core/report/report.h"
#include "core/reproduce/plan_here.h"
#include "core/store/locations.h"

namespace cospadi::cli {

namespace {

using nlohmann::json;

constexpr const char* kAllLabels = "all";

struct ReproduceOptions {
    std::string label, model;
    bool quick = false;
    bool overnight = false;
    bool dryRun = false;
    double within = BundleOptions().within;
    std::filesystem::path out;
    std::filesystem::path data;
    DeviceOptions device;
    std::vector<Argument> ofLabels, ofFolders;  // those that the other has no use for

    ProtocolSize size() const {
        return quick       ? ProtocolSize::Quick
               : overnight ? ProtocolSize::Overnight
                           : ProtocolSize::Full;
    }
};

struct Reproduced {
    int exitCode = kOk;
    std::string text;
    json object;
};

Reproduced resultOf(const Session& session, const Reproduction& entry,
                    const ReproduceOptions& options, const ReproductionPlan& plan,
                    const std::vector<ReproductionOutcome>& outcomes) {
    const RunStore store = RunStore::openForReading(storePath());
    const std::vector<ReproducedRun> runs = reproducedRuns(plan, outcomes, store);
    const std::vector<ReproducedTable> tables = reproducedTables(
        store, entry, entry.protocol(options.size()), modelNameOf(plan, options.model), runs);
    Reproduced result;
    json holes = json::array();
    for (const ReproducedRun& run : runs) {
        if (!run.hole.empty()) {
            holes.push_back({{"description", run.description}, {"reason", run.hole}});
        }
    }
    const auto skipped = std::count_if(outcomes.begin(), outcomes.end(),
                                       [](const auto& outcome) { return outcome.job.skipped; });
    json made = json::array();
    for (const ReproducedTable& table : tables) {
        made.push_back(
            {{"name", table.name}, {"rows", rowsJson(table.table)}, {"notes", table.table.notes}});
        result.text += render(table.table, ReportFormat::Terminal) + "\n";
    }
    ReproducedFiles files;
    if (!options.out.empty()) {
        files = writeReproduced(session, options.out, tables);
        result.text += fmt::format("{}\n", fmt::join(files.written, "\n"));
        if (!files.commands.empty()) {
            result.text +=
                fmt::format("The pictures are drawn by\n{}\n", fmt::join(files.commands, "\n"));
        }
    }
    result.text +=
        fmt::format("{}, {} of them made earlier; {}\n",
                    counted(static_cast<std::int64_t>(plan.runs.size()), "run"), skipped,
                    holes.empty() ? "no holes"
                                  : counted(static_cast<std::int64_t>(holes.size()), "hole") +
                                        "; run the same command again for the rest");
    result.exitCode = session.signals.token().stop_requested() ? kCancelled
                      : holes.empty()                          ? kOk
                                                               : kFailed;
    result.object = {{"name", entry.name},       {"size", name(options.size())},
                     {"tables", made},           {"holes", holes},
                     {"files", files.written},   {"commands", files.commands},
                     {"runs", plan.runs.size()}, {"skipped", skipped}};
    return result;
}

Reproduced reproduceOne(const Session& session, const Reproduction& entry,
                        const ReproduceOptions& options) {
    requireAvailable(entry);
    const ComputeDevice device = options.device.open();
    const Protocol& protocol = entry.protocol(options.size());
    const ReproductionPlan plan =
        planHere(entry, options.size(), options.model, device.description);
    const std::string text = planText(entry, protocol, plan, ThreadPool::availableCores());
    if (options.dryRun) {
        const bool isRefused =
            std::any_of(plan.runs.begin(), plan.runs.end(),
                        [](const PlannedRun& run) { return !run.refusal.empty(); });
        return {isRefused ? kFailed : kOk, text + "Nothing was started.\n",
                planJson(entry, options.size(), plan)};
    }
    requireStore();
    fmt::print(stderr, "{}\n", printableText(text));
    ReproductionProgress progress(plan, {tagOf(entry, options.size())}, session);
    progress.options().sweep.execution.device = device;
    if (protocol.throughput) {
        progress.options().load = loadOutside(protocol.throughput->text);
    }
    const auto outcomes =
        runReproduction(plan, protocol, progress.options(), session.signals.token());
    return resultOf(session, entry, options, plan, outcomes);
}

// Labels share runs: what one has made, the next finds.
int reproduceAll(const Session& session, const std::vector<Reproduction>& all,
                 const ReproduceOptions& options) {
    json objects = json::array();
    std::string text;
    int exitCode = kOk;
    for (const Reproduction& entry : all) {
        if (!entry.unavailable.empty()) {
            text += fmt::format("{}: not available yet: {}\n\n", entry.name, entry.unavailable);
            continue;
        }
        if (session.signals.token().stop_requested()) {
            exitCode = kCancelled;
            break;
        }
        ReproduceOptions one = options;
        one.out = options.out.empty() ? options.out : options.out / entry.name;
        Reproduced made;
        try {
            made = reproduceOne(session, entry, one);
        } catch (const UsageError&) {
            throw;
        } catch (const Error& error) {
            made = {kFailed,
                    fmt::format("{}: {}\n", entry.name, error.what()),
                    {{"name", entry.name}, {"error", error.what()}}};
        }
        text += made.text + "\n";
        objects.push_back(std::move(made.object));
        exitCode = made.exitCode == kOk ? exitCode : made.exitCode;
    }
    session.print(text, {{"labels", objects}});
    return exitCode;
}

// What two labels share has the same; of one that is still to be made of another, that one's with
// the step.
std::string keyOf(const ReproductionPlan& plan, const PlannedRun& run) {
    return run.job.directory.empty() && run.step
               ? fmt::format("{} {}", plan.runs[run.source].job.directory.string(),
                             words(*run.step))
               : run.job.directory.string();
}

// The sum over all labels, with what several ask for counted once.
int dryRunAll(const Session& session, const std::vector<Reproduction>& all,
              const ReproduceOptions& options) {
    const ComputeDevice device = options.device.open();
    json objects = json::array();
    std::string text =
        fmt::format("{:<28} {:>6} {:>8} {:>12}  {}\n", "label", "runs", "missing", "time", "shows");
    std::map<std::string, double> bySpecification;
    int exitCode = kOk;
    for (const Reproduction& entry : all) {
        if (!entry.unavailable.empty()) {
            text += fmt::format("{:<28} not available yet: {}\n", entry.name, entry.unavailable);
            continue;
        }
        try {
            const ReproductionPlan plan =
                planHere(entry, options.size(), options.model, device.description);
            for (const PlannedRun& run : plan.runs) {
                double& seconds = bySpecification[keyOf(plan, run)];
                seconds = std::max(seconds, run.estimate.seconds + run.evaluationSeconds);
                double& calibration =
                    bySpecification["calibration " +
                                    toJson(run.job.specification).at("calibration").dump()];
                calibration = std::max(calibration, run.estimate.calibrationSeconds);
            }
            text += fmt::format(
                "{:<28} {:>6} {:>8} {:>12}  {}\n", entry.name, plan.runs.size(), plan.missing(),
                humanSeconds(plan.secondsLeft()) + (plan.untimed() > 0 ? " + ?" : ""), entry.shows);
            objects.push_back(planJson(entry, options.size(), plan));
        } catch (const UsageError&) {
            throw;
        } catch (const Error& error) {
            text += fmt::format("{:<28} {}\n", entry.name, error.what());
            objects.push_back({{"name", entry.name}, {"error", error.what()}});
            exitCode = kFailed;
        }
    }
    double seconds = 0;
    for (const auto& [directory, one] : bySpecification) {
        seconds += one;
    }
    text += fmt::format(
        "\nTogether about {} on {}: runs shared by labels are made once.\n"
        "Nothing was started.\n",
        humanSeconds(seconds), counted(ThreadPool::availableCores(), "core"));
    session.print(text, {{"labels", objects}, {"seconds", seconds}});
    return exitCode;
}

int reproduce(const Session& session, const ReproduceOptions& options) {
    if (isBundle(options.label)) {
        refuseGiven(options.ofLabels, "applies to the paper's labels, not to a bundled folder",
                    "omit it");
        return reproduceBundle(session, {options.label, options.model, options.dryRun,
                                         options.within, options.data, options.device});
    }
    refuseGiven(options.ofFolders, "applies to a folder of `report --bundle` only", "omit it");
    std::vector<Reproduction> all = reproductions(resourcePath("reproduce"));
    for (Reproduction& entry : all) {
        entry.protocol(options.size()).tasks.data = options.data.string();
    }
    if (options.label.empty()) {
        session.print(labelsText(all), labelsJson(all));
        return kOk;
    }
    const Reproduction* entry = findReproduction(all, options.label);
    if (entry == nullptr && options.label != kAllLabels) {
        std::vector<std::string> known = {kAllLabels};
        for (const Reproduction& one : all) {
            known.push_back(one.name);
            known.push_back(one.label);
        }
        const std::string near = nearestWord(options.label, known);
        throw UsageError("is not one of the paper's labels", options.label,
                         fmt::format("{}cospadi reproduce lists them",
                                     near.empty() ? "" : fmt::format("did you mean {}? ", near)));
    }
    if (options.model.empty()) {
        throw UsageError("no model is given", "reproduce " + options.label,
                         "give one, or the word default");
    }
    if (entry == nullptr) {
        return options.dryRun ? dryRunAll(session, all, options)
                              : reproduceAll(session, all, options);
    }
    const Reproduced made = reproduceOne(session, *entry, options);
    session.print(made.text, made.object);
    return made.exitCode;
}

}  // namespace

void addReproduce(Command app, Session& session) {
    const Command command = app.addCommand(
        "reproduce",
        "Reproduce a table or figure of the paper with your own runs, and compare the values");
    auto options = std::make_shared<ReproduceOptions>();
    command.addOption("LABEL", options->label,
                      "Label in the paper's source or number: ablation_data, tab:ablation_data, 1; "
                      "all; or a folder of `report --bundle`; if omitted, the labels are listed");
    command.addOption("MODEL", options->model,
                      "Path, or the word default [for a folder: where the runs had it]");
    const Argument quick =
        command.addFlag("--quick", options->quick,
                        "Run a small version for the default model: few layers, short texts");
    const Argument overnight =
        command
            .addFlag("--overnight", options->overnight,
                     "Run a version for the default model that takes a night for all labels: all "
                     "layers by the program's own solver, 100 items per task")
            .excludes(quick);
    command.addFlag("--dry-run", options->dryRun,
                    "Show the runs, their bytes, memory and predicted time; start nothing");
    const Argument out = command.addOption(
        "--out", options->out, "Folder to write the tables (LaTeX, CSV, Markdown) and figures to");
    command.addOption("--data", options->data,
                      "Tasks: folder with the data sets as JSON (docs/formats.md) [those fetched "
                      "by `cospadi data fetch`, else small samples]");
    options->ofFolders = {command
                              .addOption("--within", options->within,
                                         "For a folder: allowed relative difference of a number")
                              .inRange(0.0, 1.0)
                              .showDefault()};
    options->ofLabels = {quick, overnight, out};
    options->device.addTo(command);
    finishCommand(command, session, [&session, options] { return reproduce(session, *options); });
}

}  // namespace cospadi::cli
