// `cospadi sweep`: a grid of runs from flags or a file, one after the other.
#include "core/pipeline/sweep.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/cli/run_command.h"
#include "app/cli/session.h"
#include "core/base/error.h"
#include "core/base/printable_text.h"
#include "core/base/thread_pool.h"
#include "core/pipeline/sweep_estimate.h"
#include "core/pipeline/sweep_grid.h"
#include "core/report/report.h"
#include "core/store/locations.h"

namespace cospadi::cli {

namespace {

using nlohmann::json;

struct Options {
    std::string source;  // a model, or a file with a grid
    std::vector<std::string> method, solver, layers, accounting, calibration, set;
    std::vector<double> cr, rho;
    std::vector<std::int64_t> iterations, sequences;
    std::vector<std::uint64_t> seed;
    std::string evaluate;
    PerplexityOptions perplexity;
    std::string tag;
    DeviceOptions device;
    bool dryRun = false;
    bool models = false;
};

// A value of --set as JSON where it reads as such, else as text.
json valueOf(const std::string& text) {
    const json parsed = json::parse(text, nullptr, false);
    return parsed.is_discarded() || parsed.is_structured() ? json(text) : parsed;
}

void addSet(json& grid, const std::string& assignment) {
    const std::size_t equals = assignment.find('=');
    if (equals == std::string::npos || equals == 0) {
        throw UsageError("is not FIELD=VALUE[,VALUE]", "--set " + assignment,
                         "for example --set tolerance=0,1e-4");
    }
    json values = json::array();
    std::string rest = assignment.substr(equals + 1);
    for (std::size_t comma = 0; comma != std::string::npos;) {
        comma = rest.find(',');
        values.push_back(valueOf(rest.substr(0, comma)));
        rest = comma == std::string::npos ? "" : rest.substr(comma + 1);
    }
    const std::string field = assignment.substr(0, equals);
    const std::size_t dot = field.find('.');
    if (dot == std::string::npos) {
        grid[field] = values;
    } else {
        grid[field.substr(0, dot)][field.substr(dot + 1)] = values;
    }
}

json gridOf(const Options& options) {
    const std::filesystem::path path = options.source;
    const std::string extension = path.extension().string();
    const bool isFile = extension == ".json" || extension == ".yaml" || extension == ".yml";
    json grid = isFile ? readGridFile(path) : json{{"model", options.source}};
    const auto put = [&grid](const char* field, const auto& values) {
        if (!values.empty()) {
            grid[field] = values;
        }
    };
    put("method", options.method);
    put("solver", options.solver);
    put("layers", options.layers);
    put("accounting", options.accounting);
    put("cr", options.cr);
    put("rho", options.rho);
    put("iterations", options.iterations);
    put("seed", options.seed);
    if (!options.sequences.empty()) {
        grid["calibration"]["sequences"] = options.sequences;
    }
    if (!options.calibration.empty()) {
        json texts = json::array();
        for (const std::string& text : options.calibration) {
            texts.push_back(textPath(text).string());
        }
        grid["calibration"]["text"] = texts;
    }
    for (const std::string& assignment : options.set) {
        addSet(grid, assignment);
    }
    return grid;
}

std::vector<SweepJob> plan(const Options& options) {
    std::vector<std::filesystem::path> known;
    for (const RunRow& run : RunStore::openForReading(storePath()).list()) {
        known.emplace_back(run.directory);
    }
    const json grid = gridOf(options);
    return planSweep(asUsage([&] { return expandGrid(grid); }), runsDirectory(), known);
}

int dryRun(const Session& session, const std::vector<SweepJob>& jobs, const std::string& device,
           bool evaluates) {
    const MeasuredRates rates =
        MeasuredRates::ofThisMachine(RunStore::openForReading(storePath()), device);
    const int cores = ThreadPool::availableCores();
    const std::vector<JobEstimate> estimates = estimateSweep(jobs, rates, cores);
    const std::vector<std::string> descriptions = describeJobs(jobs);
    json rows = json::array();
    std::string text = fmt::format("{:<12} {:>8} {:>10} {:>10} {:>12}  {}\n", "state", "matrices",
                                   "bytes", "memory", "time", "run");
    double seconds = 0;
    double calibration = 0;
    bool calibrationMeasured = true;
    double bytes = 0;
    double memory = 0;
    bool assumed = false;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        const JobEstimate& e = estimates[i];
        const bool done = jobs[i].state == JobState::Finished;
        text += fmt::format("{:<12} {:>8} {:>10} {:>10} {:>12}  {}\n", name(jobs[i].state),
                            e.matrices, humanBytes(e.bytes), humanBytes(e.memoryBytes),
                            done ? "-" : (e.measured ? "" : "~") + humanSeconds(e.seconds),
                            descriptions[i]);
        rows.push_back({{"state", name(jobs[i].state)},
                        {"description", descriptions[i]},
                        {"directory", jobs[i].directory.string()},
                        {"matrices", e.matrices},
                        {"finished_matrices", jobs[i].finishedMatrices},
                        {"bytes", e.bytes},
                        {"memory_bytes", e.memoryBytes},
                        {"seconds", e.seconds},
                        {"calibration_seconds", e.calibrationSeconds},
                        {"measured", e.measured},
                        {"specification", toJson(jobs[i].specification)}});
        seconds += e.seconds;
        calibration += e.calibrationSeconds;
        calibrationMeasured =
            calibrationMeasured && (e.calibrationMeasured || e.calibrationSeconds == 0);
        bytes += done ? 0 : e.bytes;
        memory = std::max(memory, e.memoryBytes);
        assumed = assumed || (!done && !e.measured);
    }
    text += fmt::format("\n{}; left to do: {} on disk, at most {} of memory, about {} on {}\n",
                        counted(static_cast<std::int64_t>(jobs.size()), "run"), humanBytes(bytes),
                        humanBytes(memory), humanSeconds(seconds), counted(cores, "core"));
    if (calibration > 0) {
        text += fmt::format("Before that about {}{} of calibration, once for each text.\n",
                            calibrationMeasured ? "" : "~", humanSeconds(calibration));
    }
    text += rates.empty() ? "" : "Times rest on the stored runs of this machine.\n";
    text += assumed || !calibrationMeasured
                ? "~: nothing like it has run here yet; an assumed rate of arithmetic.\n"
                : "";
    text += evaluates ? "Nothing was started; measuring perplexity comes on top.\n"
                      : "Nothing was started.\n";
    session.print(text, {{"jobs", rows},
                         {"seconds", seconds},
                         {"calibration_seconds", calibration},
                         {"bytes", bytes},
                         {"memory_bytes", memory},
                         {"cores", cores}});
    return kOk;
}

json outcomeJson(const SweepJob& job, const JobOutcome& outcome, const std::string& description) {
    json row{{"description", description},
             {"state", name(outcome.state)},
             {"skipped", outcome.skipped},
             {"directory", job.directory.string()},
             {"specification", toJson(job.specification)}};
    if (!outcome.run.id.empty()) {
        row["run"] = outcome.run.id;
        row["bytes"] = outcome.run.bytes;
        row["dense_bytes"] = outcome.run.denseBytes;
        row["relative_error"] = outcome.run.relativeError;
        row["seconds"] = outcome.run.seconds;
    }
    if (outcome.perplexity) {
        row["perplexity"] = *outcome.perplexity;
    }
    if (!outcome.error.empty()) {
        row["error"] = outcome.error;
    }
    return row;
}

int publish(const Session& session, const std::vector<SweepJob>& jobs,
            const std::vector<JobOutcome>& outcomes) {
    const std::vector<std::string> descriptions = describeJobs(jobs);
    json rows = json::array();
    std::vector<RunRow> finished;
    std::string failures;
    std::size_t skipped = 0;
    std::size_t failed = 0;
    const RunStore store = RunStore::openForReading(storePath());
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        const JobOutcome& outcome = outcomes[i];
        rows.push_back(outcomeJson(jobs[i], outcome, descriptions[i]));
        skipped += outcome.skipped ? 1 : 0;
        if (outcome.state == JobState::Finished) {
            finished.push_back(store.find(outcome.run.id));
        } else if (outcome.state == JobState::Failed || outcome.state == JobState::Busy) {
            ++failed;
            failures +=
                fmt::format("{}: {}\n  {}\n", name(outcome.state), descriptions[i], outcome.error);
        }
    }
    const std::size_t left = jobs.size() - finished.size() - failed;
    std::string text = render(tableOfRuns(finished), ReportFormat::Terminal);
    text += fmt::format("\n{} of {} finished ({} of them earlier), {} failed, {} left\n",
                        finished.size(), counted(static_cast<std::int64_t>(jobs.size()), "run"),
                        skipped, failed, left);
    text += failures;
    if (left + failed > 0) {
        text += "Start the same command again to do what is left.\n";
    }
    session.print(text, {{"jobs", rows},
                         {"finished", finished.size()},
                         {"skipped", skipped},
                         {"failed", failed},
                         {"left", left}});
    return left > 0 ? kCancelled : failed > 0 ? kFailed : kOk;
}

int sweep(const Session& session, const Options& options) {
    const std::vector<SweepJob> jobs = plan(options);
    if (options.dryRun) {
        return dryRun(session, jobs, options.device.open().description, !options.evaluate.empty());
    }
    const std::vector<std::string> descriptions = describeJobs(jobs);
    RunProgress progress;
    ProgressLine line;
    SweepOptions sweepOptions;
    sweepOptions.execution.writeModel = options.models;
    sweepOptions.execution.partialModel = options.models;
    sweepOptions.execution.device = options.device.open();
    sweepOptions.execution.onEvent = [&](const json& event) {
        showAndIndex(progress, event, options.tag);
    };
    if (!options.evaluate.empty()) {
        asUsage([&] { options.perplexity.validate(); });
        sweepOptions.evaluate = options.perplexity;
        sweepOptions.text = textPath(options.evaluate);
        if (!std::filesystem::exists(sweepOptions.text)) {
            throw Error("there is no such text", options.evaluate,
                        "give a file, or the word wikitext2");
        }
        sweepOptions.evaluationProgress = session.progress(line);
    }
    sweepOptions.onStart = [&](std::size_t job) {
        fmt::print(stderr, "[{}/{}] {}\n", job + 1, jobs.size(), printableLine(descriptions[job]));
    };
    sweepOptions.onFinish = [&](std::size_t, const JobOutcome& outcome) {
        progress.clear();
        line.clear();
        if (!outcome.error.empty()) {
            fmt::print(stderr, "      {}: {}\n", name(outcome.state), printableLine(outcome.error));
        } else if (outcome.state == JobState::Finished) {
            indexRun(outcome.run.directory, options.tag);
            fmt::print(
                stderr, "      {}mean error {:.4f}{}\n", outcome.skipped ? "done earlier: " : "",
                outcome.run.relativeError,
                outcome.perplexity ? fmt::format(", perplexity {:.3f}", *outcome.perplexity) : "");
        }
    };
    return publish(session, jobs, runSweep(jobs, sweepOptions, session.signals.token()));
}

}  // namespace

void addSweep(CLI::App& app, Session& session) {
    auto* command = app.add_subcommand(
        "sweep", "Many runs: every combination of the listed values; does what is left");
    auto options = std::make_shared<Options>();
    Options& o = *options;
    command
        ->add_option("MODEL", o.source,
                     "Path, the word default, or a .json or .yaml file with the grid")
        ->required();
    const auto list = [command](const char* flag, auto& values, const char* help) {
        return command->add_option(flag, values, help)->delimiter(',')->allow_extra_args(false);
    };
    list("--method", o.method, "svd,svd-llm,cospadi-free,cospadi,dense");
    list("--solver", o.solver, "fast,ksvd");
    list("--cr", o.cr, "Compression ratios, e.g. 0.2,0.3,0.4");
    list("--rho", o.rho, "ρ = k/s, e.g. 1.5,2,3");
    list("--iterations", o.iterations, "Solver iterations");
    list("--seed", o.seed, "Seeds")->check(seedProblem);
    command
        ->add_option("--layers", o.layers,
                     "Regular expression of layer names; may be given several times")
        ->allow_extra_args(false);
    list("--accounting", o.accounting, "eq10,eq11,packed,packed8");
    list("--sequences", o.sequences, "Calibration sequences");
    list("--calibration", o.calibration, "Calibration texts");
    command
        ->add_option("--set", o.set,
                     "FIELD=VALUE[,VALUE] for any other field of a specification, e.g. "
                     "tolerance=0,1e-4; may be given several times")
        ->allow_extra_args(false);
    command->add_option("--evaluate", o.evaluate,
                        "Measure each run's perplexity on this text: a file, or wikitext2");
    command->add_option("--context", o.perplexity.context, "Tokens a chunk of the evaluation")
        ->capture_default_str();
    command->add_option("--max-tokens", o.perplexity.maxTokens,
                        "Only the first N tokens of the text [all]");
    command->add_option("--tag", o.tag, "Tag the runs in the store");
    command->add_flag("--dry-run", o.dryRun,
                      "Show the runs, their bytes, memory and predicted time; start nothing");
    command->add_flag("--models", o.models, "Write each run's self-contained model folder");
    o.device.addTo(*command);
    finishCommand(command, session, [&session, options] { return sweep(session, *options); });
}

}  // namespace cospadi::cli
