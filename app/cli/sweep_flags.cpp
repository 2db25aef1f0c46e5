#include "app/cli/sweep_flags.h"

#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <iterator>

#include "app/cli/run_filter.h"
#include "app/cli/session.h"
#include "app/cli/specification_flags.h"
#include "app/cli/task_output.h"
#include "app/command_line/number_text.h"
#include "core/methods/method.h"
#include "core/schedulers/workflow_file.h"
#include "core/store/paper_preset.h"
#include "core/store/run_file.h"
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
    {"--length", "calibration.length", "Tokens per calibration sequence"},
    {"--calibration-seed", "calibration.seed", "Seeds for sampling the calibration sequences"}};

// A value as JSON where it reads as such, else as text.
json valueOf(const std::string& text) {
    const json parsed = json::parse(text, nullptr, false);
    return parsed.is_discarded() || parsed.is_structured() ? json(text) : parsed;
}

bool isNumber(const std::string& field) {
    const Option* option = findOption(field);
    return option != nullptr ? !option->isWord() : field.starts_with("calibration.");
}

// Of a field of numbers: not the word that it may be instead.
bool isNumberIn(const std::string& field, const std::string& text) {
    const Option* option = findOption(field);
    return isNumber(field) && (option == nullptr || !option->isWordInstead(text));
}

// However it is written there: nested, or with a dot.
void leaveOut(json& grid, const std::string& field) {
    grid.erase(field);
    const std::size_t dot = field.find('.');
    const auto head = dot == std::string::npos ? grid.end() : grid.find(field.substr(0, dot));
    if (head != grid.end() && head->is_object()) {
        head->erase(field.substr(dot + 1));
    }
}

// In the place of what the file's grids say.
void put(json& grid, const std::string& field, const json& values) {
    leaveOut(grid, field);
    if (const auto several = grid.find("grids"); several != grid.end() && several->is_array()) {
        for (json& one : *several) {
            if (one.is_object()) {
                leaveOut(one, field);
            }
        }
    }
    const std::size_t dot = field.find('.');
    if (dot == std::string::npos) {
        grid[field] = values;
    } else {
        const std::string head = field.substr(0, dot);
        json& object = grid[head];
        if (!object.is_null() && !object.is_object()) {
            throw Error("is not an object of fields, but " + field + " is also given", head,
                        "write it as an object, such as {\"text\": \"…\"}, in the sweep's file");
        }
        object[field.substr(dot + 1)] = values;
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

constexpr const char* kStandardInput = "-";

json gridIn(const std::string& source) {
    constexpr const char* kSee = "a sweep is an object of fields; see docs/formats.md, \"A sweep\"";
    const bool isPiped = source == kStandardInput;
    const std::string name = isPiped ? "standard input" : source;
    json grid = isPiped ? parseTolerantJson(
                              std::string(std::istreambuf_iterator<char>(std::cin), {}), name, kSee)
                        : readGridFile(source);
    if (!grid.is_object()) {
        throw Error("is not an object", name, kSee);
    }
    return grid;
}

bool isGridFile(const std::filesystem::path& path) {
    const std::string extension = path.extension().string();
    return path == kStandardInput || extension == ".json" || extension == ".yaml" ||
           extension == ".yml";
}

}  // namespace

namespace {

void takeTaskFlags(const SweepFlags& flags, TaskPlan& plan) {
    const bool isSetByFile = toJson(plan) != toJson(TaskPlan{});
    plan.tasks = flags.tasks.empty() ? plan.tasks : flags.tasks;
    plan.by = flags.tasksBy.empty() ? plan.by : tasksByFromName(flags.tasksBy);
    plan.limit = flags.limit.value_or(plan.limit);
    plan.shots = flags.shots ? flags.shots : plan.shots;
    plan.data = flags.taskData.empty() ? plan.data : flags.taskData;
    if (plan.tasks.empty()) {
        const bool said = flags.limit || flags.shots || !flags.taskData.empty();
        if (said || !flags.tasksBy.empty()) {
            throw UsageError("applies to tasks, but none is given",
                             !flags.tasksBy.empty() ? "--tasks-by"
                             : flags.limit          ? "--limit"
                             : flags.shots          ? "--num-fewshot"
                                                    : "--data",
                             "add --tasks piqa,arc_easy");
        }
        if (isSetByFile) {
            throw Error("has settings, but lists no tasks", "evaluate.tasks",
                        "add names, such as [piqa, arc_easy]");
        }
        return;
    }
    if (plan.by == TasksBy::Native) {
        requireKnownTasks(plan.tasks);
    }
    if (!plan.data.empty()) {  // processes elsewhere stand in other folders
        plan.data = std::filesystem::absolute(plan.data).lexically_normal().string();
    }
    plan.validate();
}

}  // namespace

SweepFile sweepFileOf(const SweepFlags& flags) {
    const bool isFile = isGridFile(flags.source);
    SweepFile file = isFile ? sweepFile(gridIn(flags.source)) : SweepFile{};
    if (flags.preset == kPaperPreset) {
        file.grid["preset"] = kPaperPreset;
    } else if (!flags.preset.empty()) {
        if (isFile) {
            throw UsageError("applies to a model, not to a file with its own grid",
                             "--preset " + flags.preset, "give a model, or omit it");
        }
        file = asUsage([&] { return sweepPreset(flags.preset); });
    }
    if (!isFile) {
        file.grid["model"] = flags.source;
    }
    for (const auto& [field, texts] : flags.fields) {
        json values = json::array();
        for (const std::string& text : texts) {
            const json value = valueOf(text);
            values.push_back(value.is_string() && isNumberIn(field, text)
                                 ? json(realNumberIn(text).value_or(0))
                                 : value);
        }
        if (!values.empty()) {
            put(file.grid, field, values);
        }
    }
    if (!flags.layers.empty()) {
        put(file.grid, "layers", flags.layers);
    }
    if (!flags.calibration.empty()) {
        put(file.grid, "calibration.text", flags.calibration);
    }
    for (const std::string& assignment : flags.set) {
        addSet(file.grid, assignment);
    }
    file.tags.insert(file.tags.end(), flags.tags.begin(), flags.tags.end());
    file.name = !flags.name.empty() ? flags.name
                : file.name.empty() && isFile && flags.source != kStandardInput
                    ? std::filesystem::path(flags.source).stem().string()
                    : file.name;
    if (!file.name.empty()) {
        file.tags.push_back(sweepTag(file.name));
    }
    if (!flags.evaluate.empty()) {
        file.evaluate.text = flags.evaluate;
    }
    if (file.evaluate.text.empty() && (flags.context || flags.maxTokens)) {
        throw UsageError("applies to a text to evaluate, but none is given",
                         flags.context ? "--context" : "--max-tokens", "add --evaluate wikitext2");
    }
    file.evaluate.options.context = flags.context.value_or(file.evaluate.options.context);
    file.evaluate.options.maxTokens = flags.maxTokens.value_or(file.evaluate.options.maxTokens);
    takeTaskFlags(flags, file.evaluate.tasks);
    return file;
}

void addSweepFlags(Command command, SweepFlags& flags) {
    // Not required(): `sweep status` goes without.
    command.addOption("MODEL", flags.source,
                      "Path, the word default, a .json or .yaml file with the grid, - for a JSON "
                      "grid on standard input, or with --on an existing sweep file");
    command.addFlag("--dry-run", flags.dryRun,
                    "Show the runs, their bytes, memory and predicted time; start nothing");
    const std::size_t beforeSweep = command.arguments().size();
    std::string presets = fmt::format(
        "{}: the paper's hyper-parameters; or a grid of its ablations, at equal bytes; flags "
        "override the fields of either",
        kPaperPreset);
    for (const SweepPreset& p : sweepPresets()) {
        presets += fmt::format("; {}: {}", p.name, p.description);
    }
    command.addOption("--preset", flags.preset, presets);
    const auto addList = [&](const std::string& flag, const std::string& field,
                             const std::string& help) {
        return command.addOption(flag, flags.fields[field], help).delimiter(',').oneWordEach();
    };
    addList("--method", "method", methodNames());
    for (const Option* option : allOptions()) {
        addList(option->flag(), option->name,
                fmt::format("{}: {}", option->title, option->valuesText()))
            // Of a number what it may be is validate()'s: nan and inf are told there.
            .check([option](const std::string& text) {
                return isNumber(option->name) && option->name != std::string("seed") &&
                               realNumberIn(text)
                           ? std::string()
                           : typeProblem(*option, text);
            });
    }
    for (const FieldFlag& flag : kCalibrationFlags) {
        const Argument option = addList(flag.flag, flag.field, flag.help);
        if (std::string_view(flag.field).ends_with("seed")) {
            option.check(seedProblem);
        } else {
            option.check([](const std::string& text) {
                return realNumberIn(text) ? std::string() : "'" + text + "' is not a number";
            });
        }
    }
    command
        .addOption("--layers", flags.layers,
                   "Regular expression of layer names; may be given several times")
        .oneWordEach();
    command.addOption("--calibration", flags.calibration, "Calibration texts")
        .delimiter(',')
        .oneWordEach();
    command
        .addOption("--set", flags.set,
                   "FIELD=VALUE[,VALUE]: any other field of a specification, e.g. "
                   "tolerance=0,1e-4; may be given several times")
        .oneWordEach();
    command.addOption("--evaluate", flags.evaluate,
                      "Measure each run's perplexity on this text: a file, or wikitext2");
    command.addOption("--context", flags.context, "Tokens per chunk of the evaluation [512]");
    command.addOption("--max-tokens", flags.maxTokens, "Only the first N tokens of the text [all]");
    command
        .addOption("--tasks", flags.tasks,
                   "Evaluate each run on these tasks, as `evaluate --tasks` does: piqa,arc_easy")
        .delimiter(',')
        .oneWordEach();
    command
        .addOption("--tasks-by", flags.tasksBy, "Tasks: the program that evaluates them [native]")
        .oneOf({name(TasksBy::Native), name(TasksBy::LmEval)});
    command
        .addOption("--limit", flags.limit,
                   "Tasks: only the first N items of each (below 1: a fraction) [all]")
        .check(limitProblem);
    command
        .addOption("--num-fewshot", flags.shots, "Tasks: examples in the prompt [the task's own]")
        .notNegative();
    command.addOption("--data", flags.taskData,
                      "Tasks: folder with the data sets as JSON (docs/formats.md) [those fetched "
                      "by `cospadi data fetch`, else small samples, or lm-eval's own]");
    command.addOption("--name", flags.name,
                      "Name of the sweep; `runs list --sweep NAME` lists its runs [the file's]");
    command.addOption("--tag", flags.tags, "Tag the runs in the store; may be given several times")
        .oneWordEach();
    command.addFlag("--models", flags.models, "Write each run's self-contained model folder");
    flags.device.addTo(command);
    command.addOption("--write-jobs", flags.writeJobs,
                      "Write the jobs to this file for `cospadi job`, without running them");
    flags.ofFile = {command
                        .addOption("--lease", flags.leaseSeconds,
                                   "For a sweep file: seconds without a sign of life after which a "
                                   "job is considered lost")
                        .inRange(1.0, 86'400.0)
                        .showDefault()};
    flags.ofSweep = command.arguments();
    flags.ofSweep.erase(flags.ofSweep.begin(),
                        flags.ofSweep.begin() + static_cast<std::ptrdiff_t>(beforeSweep));
    std::vector<std::string> engines{kSlurm};
    engines.insert(engines.end(), workflowEngines().begin(), workflowEngines().end());
    command
        .addOption(
            "--on", flags.on,
            "Submit the jobs to Slurm, or write a file for Snakemake, Kubernetes or SkyPilot")
        .oneOf(engines);
    flags.ofScheduler = {
        command.addOption("--partition", flags.slurm.partition,
                          "With --on: partition of all jobs [the cluster's]"),
        command.addOption(
            "--time", flags.slurm.time,
            "With --on: time limit per job; a job that reaches it is resumed [the partition's]"),
        command.addOption("--mem", flags.slurm.mem,
                          "With --on: memory per job, such as 16G [the partition's]"),
        command.addOption("--cpus", flags.slurm.cpus, "With --on: cores per job [the partition's]")
            .notNegative(),
        command.addOption("--gpus", flags.slurm.gpus,
                          "With --on: GPUs per job, such as 1 or a100:2; requires --device [none]"),
        command
            .addOption("--bundle", flags.slurm.bundle,
                       "With --on: number of small jobs per task, run one after the other")
            .inRange(1, 1'000'000)
            .showDefault(),
        command
            .addOption("--array-limit", flags.slurm.arrayLimit,
                       "With --on: concurrent jobs, or nodes of SkyPilot [all; one]")
            .notNegative(),
        command.addOption("--setup", flags.slurm.setup,
                          "With --on: file with shell commands to run at the start of every job")};
}

}  // namespace cospadi::cli
