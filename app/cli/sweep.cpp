// `cospadi sweep`: a grid of runs from flags or a file, one after the other.
#include "core/sweep/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "app/cli/run_command.h"
#include "app/cli/run_filter.h"
#include "app/cli/session.h"
#include "app/cli/specification_flags.h"
#include "core/base/error.h"
#include "core/base/printable_text.h"
#include "core/base/resources.h"
#include "core/base/thread_pool.h"
#include "core/methods/method.h"
#include "core/report/report.h"
#include "core/run/resolve_specification.h"
#include "core/store/locations.h"
#include "core/store/paper_preset.h"
#include "core/sweep/sweep_estimate.h"
#include "core/sweep/sweep_grid.h"
#include "core/sweep/sweep_presets.h"

namespace cospadi::cli {

namespace {

using nlohmann::json;

// Fields of the calibration as flags; those of the methods come from their descriptions.
struct FieldFlag {
    const char* flag;
    const char* field;
    const char* help;
};

constexpr FieldFlag kCalibrationFlags[] = {
    {"--sequences", "calibration.sequences", "Calibration sequences"},
    {"--length", "calibration.length", "Tokens a calibration sequence"},
    {"--calibration-seed", "calibration.seed", "Seeds of the calibration's draw"}};

struct Options {
    std::string source;                                      // a model, or a file with a grid
    std::map<std::string, std::vector<std::string>> fields;  // by their names, dotted where nested
    std::vector<std::string> layers, calibration, set;
    std::string name, preset;
    std::string evaluate;
    std::optional<std::int64_t> context, maxTokens;
    std::vector<std::string> tags;
    DeviceOptions device;
    bool dryRun = false;
    bool models = false;
};

// The number, nan and inf among them, which validate() tells what is wrong with; else nullopt.
std::optional<double> numberIn(const std::string& text) {
    double number = 0;
    return CLI::detail::lexical_cast(text, number) ? std::optional(number) : std::nullopt;
}

// A value as JSON where it reads as such, else as text.
json valueOf(const std::string& text) {
    const json parsed = json::parse(text, nullptr, false);
    return parsed.is_discarded() || parsed.is_structured() ? json(text) : parsed;
}

bool isNumber(const std::string& field) {
    const auto& all = allOptions();
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const Option* option) { return field == option->name; });
    return found != all.end() ? !std::holds_alternative<std::string>((*found)->usual)
                              : field.starts_with("calibration.");
}

void put(json& grid, const std::string& field, const json& values) {
    const std::size_t dot = field.find('.');
    if (dot == std::string::npos) {
        grid[field] = values;
    } else {
        grid[field.substr(0, dot)][field.substr(dot + 1)] = values;
    }
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
    put(grid, assignment.substr(0, equals), values);
}

bool isGridFile(const std::filesystem::path& path) {
    const std::string extension = path.extension().string();
    return extension == ".json" || extension == ".yaml" || extension == ".yml";
}

// Flags replace the fields of a file.
SweepFile sweepFileOf(const Options& options) {
    const bool isFile = isGridFile(options.source);
    SweepFile file = isFile ? sweepFile(readGridFile(options.source)) : SweepFile{};
    if (options.preset == kPaperPreset) {
        file.grid["preset"] = kPaperPreset;
    } else if (!options.preset.empty()) {
        if (isFile) {
            throw UsageError("goes with a model, not with a file that has a grid of its own",
                             "--preset " + options.preset, "name a model, or leave it out");
        }
        file = asUsage([&] { return sweepPreset(options.preset); });
    }
    if (!isFile) {
        file.grid["model"] = options.source;
    }
    for (const auto& [field, texts] : options.fields) {
        json values = json::array();
        for (const std::string& text : texts) {
            const json value = valueOf(text);
            values.push_back(value.is_string() && isNumber(field) ? json(numberIn(text).value_or(0))
                                                                  : value);
        }
        if (!values.empty()) {
            put(file.grid, field, values);
        }
    }
    if (!options.layers.empty()) {
        file.grid["layers"] = options.layers;
    }
    if (!options.calibration.empty()) {
        put(file.grid, "calibration.text", options.calibration);
    }
    for (const std::string& assignment : options.set) {
        addSet(file.grid, assignment);
    }
    file.tags.insert(file.tags.end(), options.tags.begin(), options.tags.end());
    file.name = !options.name.empty() ? options.name
                : file.name.empty() && isFile
                    ? std::filesystem::path(options.source).stem().string()
                    : file.name;
    if (!file.name.empty()) {
        file.tags.push_back(sweepTag(file.name));
    }
    if (!options.evaluate.empty()) {
        file.evaluate.text = options.evaluate;
    }
    file.evaluate.options.context = options.context.value_or(file.evaluate.options.context);
    file.evaluate.options.maxTokens = options.maxTokens.value_or(file.evaluate.options.maxTokens);
    return file;
}

struct Plan {
    std::vector<SweepJob> jobs;
    std::size_t combinations = 0;  // before equal ones are one
};

Plan plan(const SweepFile& file) {
    std::vector<std::filesystem::path> known;
    for (const RunRow& run : RunStore::openForReading(storePath()).list()) {
        known.emplace_back(run.directory);
    }
    const std::vector<RunSpecification> grid = asUsage([&] { return expandGrid(file.grid); });
    return {planSweep(grid, runsDirectory(), known), grid.size()};
}

std::string combinationsText(const Plan& plan) {
    return plan.combinations == plan.jobs.size()
               ? ""
               : fmt::format(
                     "{} combinations are {}: settings that a method does not use, and "
                     "seeds where its solver draws nothing, make none of their own.\n",
                     plan.combinations,
                     counted(static_cast<std::int64_t>(plan.jobs.size()), "run"));
}

// Of each job why it cannot begin; empty where it can. What jobs share is looked at once.
std::vector<std::string> refusals(const std::vector<SweepJob>& jobs) {
    std::map<std::string, std::string> known;
    std::vector<std::string> reasons;
    for (const SweepJob& job : jobs) {
        const RunSpecification& s = job.specification;
        std::string key = s.modelSha256 + " " + s.layers + " " + toJson(s).at("calibration").dump();
        for (const Option& option : methodOf(s).ownOptions()) {  // which shapes may not fit
            key += " " + s.method + " " + textOf(cospadi::valueOf(option, s.own));
        }
        const auto [reason, isNew] = known.try_emplace(key);
        if (isNew && job.state != JobState::Finished) {
            try {
                requireRunnable(s);
            } catch (const Error& error) {
                reason->second = error.what();
            }
        }
        reasons.push_back(job.state == JobState::Finished ? "" : reason->second);
    }
    return reasons;
}

struct DryTotals {
    double seconds = 0;
    double calibration = 0;
    bool calibrationMeasured = true;
    double bytes = 0;
    double memory = 0;
    bool assumed = false;

    void add(const SweepJob& job, const JobEstimate& e) {
        const bool done = job.state == JobState::Finished;
        seconds += e.seconds;
        calibration += e.calibrationSeconds;
        calibrationMeasured =
            calibrationMeasured && (e.calibrationMeasured || e.calibrationSeconds == 0);
        bytes += done ? 0 : e.bytes;
        memory = std::max(memory, e.memoryBytes);
        assumed = assumed || (!done && !e.measured);
    }
};

std::int64_t wholeBytes(double bytes) { return static_cast<std::int64_t>(std::llround(bytes)); }

json jobJson(const SweepJob& job, const std::string& description) {
    return {{"description", description},
            {"directory", job.directory.string()},
            {"specification", toJson(job.specification)}};
}

// Beside each run its cost, or why it will be refused (exit code 1).
int dryRun(const Session& session, const Plan& plan, const std::string& device, bool evaluates) {
    const MeasuredRates rates =
        MeasuredRates::ofThisMachine(RunStore::openForReading(storePath()), device);
    const int cores = ThreadPool::availableCores();
    const std::vector<SweepJob>& all = plan.jobs;
    const std::vector<std::string> reasons = refusals(all);
    std::vector<SweepJob> jobs;  // that can begin
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (reasons[i].empty()) {
            jobs.push_back(all[i]);
        }
    }
    const std::vector<JobEstimate> estimates = estimateSweep(jobs, rates, cores);
    const std::vector<std::string> descriptions = describeJobs(all);
    json rows = json::array();
    std::string text = fmt::format("{:<12} {:>8} {:>10} {:>10} {:>12}  {}\n", "state", "matrices",
                                   "bytes", "memory", "time", "run");
    DryTotals totals;
    std::string refused;
    std::size_t next = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        json& row = rows.emplace_back(jobJson(all[i], descriptions[i]));
        if (!reasons[i].empty()) {
            row["state"] = "refused";
            row["error"] = reasons[i];
            text += fmt::format("{:<12} {:>8} {:>10} {:>10} {:>12}  {}\n", "refused", "-", "-", "-",
                                "-", descriptions[i]);
            refused += fmt::format("refused: {}\n  {}\n", descriptions[i], reasons[i]);
            continue;
        }
        const JobEstimate& e = estimates[next++];
        const bool done = all[i].state == JobState::Finished;
        text += fmt::format("{:<12} {:>8} {:>10} {:>10} {:>12}  {}\n", name(all[i].state),
                            e.matrices, humanBytes(e.bytes), humanBytes(e.memoryBytes),
                            done ? "-" : (e.measured ? "" : "~") + humanSeconds(e.seconds),
                            descriptions[i]);
        row.update({{"state", name(all[i].state)},
                    {"matrices", e.matrices},
                    {"finished_matrices", all[i].finishedMatrices},
                    {"bytes", wholeBytes(e.bytes)},
                    {"memory_bytes", wholeBytes(e.memoryBytes)},
                    {"seconds", e.seconds},
                    {"calibration_seconds", e.calibrationSeconds},
                    {"measured", e.measured}});
        totals.add(all[i], e);
    }
    text +=
        fmt::format("\n{}{}; left to do: {} on disk, at most {} of memory, about {} on {}\n",
                    combinationsText(plan), counted(static_cast<std::int64_t>(all.size()), "run"),
                    humanBytes(totals.bytes), humanBytes(totals.memory),
                    humanSeconds(totals.seconds), counted(cores, "core"));
    if (totals.calibration > 0) {
        text +=
            fmt::format("Before that about {}{} of calibration, once for each text.\n",
                        totals.calibrationMeasured ? "" : "~", humanSeconds(totals.calibration));
    }
    text += rates.empty() ? "" : "Times rest on the stored runs of this machine.\n";
    text += totals.assumed || !totals.calibrationMeasured
                ? "~: nothing like it has run here yet; an assumed rate of arithmetic.\n"
                : "";
    text += evaluates ? "Nothing was started; measuring perplexity comes on top.\n"
                      : "Nothing was started.\n";
    session.print(text, {{"jobs", rows},
                         {"combinations", plan.combinations},
                         {"seconds", totals.seconds},
                         {"calibration_seconds", totals.calibration},
                         {"bytes", wholeBytes(totals.bytes)},
                         {"memory_bytes", wholeBytes(totals.memory)},
                         {"cores", cores}});
    fmt::print(stderr, "{}", printableText(refused));
    return refused.empty() ? kOk : kFailed;
}

json outcomeJson(const SweepJob& job, const JobOutcome& outcome, const std::string& description) {
    json row = jobJson(job, description);
    row["state"] = name(outcome.state);
    row["skipped"] = outcome.skipped;
    if (!outcome.run.id.empty()) {
        row["run"] = outcome.run.id;
        row["directory"] = outcome.run.directory.string();
        row["bytes"] = outcome.run.bytes;
        row["dense_bytes"] = outcome.run.denseBytes;
        row["relative_error"] = outcome.run.relativeError;
        row["whitened"] = isCalibrated(job.specification);
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
    const SweepFile file = sweepFileOf(options);
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
    const ComputeDevice device = options.device.open();
    const Plan planned = plan(file);
    const std::vector<SweepJob>& jobs = planned.jobs;
    if (options.dryRun) {
        return dryRun(session, planned, device.description, !file.evaluate.text.empty());
    }
    fmt::print(stderr, "{}", combinationsText(planned));
    const std::vector<std::string> descriptions = describeJobs(jobs);
    RunProgress progress;
    ProgressLine line;
    sweepOptions.execution.writeModel = options.models;
    sweepOptions.execution.partialModel = options.models;
    sweepOptions.execution.device = device;
    sweepOptions.execution.onEvent = [&](const json& event) {
        showAndIndex(progress, event, file.tags);
    };
    sweepOptions.evaluationProgress = session.progress(line);
    sweepOptions.onStart = [&](std::size_t job) {
        fmt::print(stderr, "[{}/{}] {}\n", job + 1, jobs.size(), printableLine(descriptions[job]));
    };
    sweepOptions.onFinish = [&](std::size_t, const JobOutcome& outcome) {
        progress.clear();
        line.clear();
        if (!outcome.error.empty()) {
            fmt::print(stderr, "      {}: {}\n", name(outcome.state), printableLine(outcome.error));
        } else if (outcome.state == JobState::Finished) {
            indexRun(outcome.run.directory, file.tags);
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
    std::string presets = fmt::format(
        "{}: the paper's hyper-parameters; or a grid of its ablations, at equal bytes; flags "
        "replace fields of either",
        kPaperPreset);
    for (const SweepPreset& p : sweepPresets()) {
        presets += fmt::format("; {}: {}", p.name, p.description);
    }
    command->add_option("--preset", o.preset, presets);
    const auto addList = [&](const std::string& flag, const std::string& field,
                             const std::string& help) {
        return command->add_option(flag, o.fields[field], help)
            ->delimiter(',')
            ->allow_extra_args(false);
    };
    addList("--method", "method", methodNames());
    for (const Option* option : allOptions()) {
        addList(option->flag(), option->name,
                fmt::format("{}: {}", option->title, option->valuesText()))
            ->check([option](const std::string& text) {
                return isNumber(option->name) && option->name != std::string("seed") &&
                               numberIn(text)
                           ? std::string()
                           : typeProblem(*option, text);
            });
    }
    for (const FieldFlag& flag : kCalibrationFlags) {
        auto* option = addList(flag.flag, flag.field, flag.help);
        if (std::string_view(flag.field).ends_with("seed")) {
            option->check(seedProblem);
        } else {
            option->check([](const std::string& text) {
                return numberIn(text) ? std::string() : "'" + text + "' is not a number";
            });
        }
    }
    command
        ->add_option("--layers", o.layers,
                     "Regular expression of layer names; may be given several times")
        ->allow_extra_args(false);
    command->add_option("--calibration", o.calibration, "Calibration texts")
        ->delimiter(',')
        ->allow_extra_args(false);
    command
        ->add_option("--set", o.set,
                     "FIELD=VALUE[,VALUE] for any other field of a specification, e.g. "
                     "tolerance=0,1e-4; may be given several times")
        ->allow_extra_args(false);
    command->add_option("--evaluate", o.evaluate,
                        "Measure each run's perplexity on this text: a file, or wikitext2");
    command->add_option("--context", o.context, "Tokens a chunk of the evaluation [512]");
    command->add_option("--max-tokens", o.maxTokens, "Only the first N tokens of the text [all]");
    command->add_option("--name", o.name,
                        "The sweep's name: `runs list --sweep NAME` finds its runs [the file's]");
    command->add_option("--tag", o.tags, "Tag the runs in the store; may be given several times")
        ->allow_extra_args(false);
    command->add_flag("--dry-run", o.dryRun,
                      "Show the runs, their bytes, memory and predicted time; start nothing");
    command->add_flag("--models", o.models, "Write each run's self-contained model folder");
    o.device.addTo(*command);
    finishCommand(command, session, [&session, options] { return sweep(session, *options); });
}

}  // namespace cospadi::cli
