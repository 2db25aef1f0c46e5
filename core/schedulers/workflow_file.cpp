#include "core/schedulers/workflow_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <regex>
#include <set>

#include "core/base/error.h"
#include "core/base/shell_word.h"
#include "core/schedulers/shared_calibrations.h"
#include "core/store/run_file.h"

namespace cospadi {

namespace {

constexpr int kRetries = 50;  // of an index of Kubernetes; a matrix has to end between two of them
constexpr std::int64_t kMinutesAnHour = 60;
constexpr std::int64_t kHoursADay = 24;
constexpr std::int64_t kKibi = 1024;

// A text in quotes as JSON, YAML and Python read it alike.
std::string quotedText(const std::string& text) { return nlohmann::json(text).dump(); }

std::string indented(const std::string& text, const std::string& by) {
    std::string result;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        result += (end > begin ? by : "") + text.substr(begin, end - begin) + "\n";
        begin = end + 1;
    }
    return result;
}

std::string setupLines(const SlurmOptions& options) {
    return options.setup.empty() ? "" : readTextFile(options.setup);
}

// As a hash sign begins it in every one of the three.
std::string heading(const SweepContract& contract, const std::string& engine,
                    const std::string& start) {
    std::string file = contract.file.string();
    std::replace(file.begin(), file.end(), '\n', ' ');
    return fmt::format(
        "# The sweep {}, made by `cospadi sweep FILE --on {}`, which makes it anew.\n#   {}\n",
        file, engine, start);
}

// "'/usr/bin/cospadi' job --sweep '/shared/sweep.json'"
std::string jobWords(const SweepContract& contract, const std::filesystem::path& program) {
    return fmt::format("{} job --sweep {}", shellWord(program.string()),
                       shellWord(contract.file.string()));
}

// "a100:2" is of a kind, "2" of any.
std::pair<std::string, std::string> gpuKindAndCount(const std::string& gpus) {
    const std::size_t colon = gpus.find(':');
    return colon == std::string::npos ? std::pair{std::string(), gpus}
                                      : std::pair{gpus.substr(0, colon), gpus.substr(colon + 1)};
}

void refusePartition(const SlurmOptions& options, const std::string& engine) {
    if (!options.partition.empty()) {
        throw Error(engine + " has no partitions", "--partition", "leave it out");
    }
}

// --- Snakemake

std::string snakemakeResources(const SlurmOptions& options) {
    std::string text;
    const auto add = [&](const std::string& word) { text += (text.empty() ? "" : ", ") + word; };
    if (!options.mem.empty()) {
        add(fmt::format("mem_mb={}", slurmMebibytes(options.mem)));
    }
    if (!options.time.empty()) {
        add(fmt::format("runtime={}", slurmMinutes(options.time)));
    }
    if (!options.partition.empty()) {
        add("slurm_partition=" + quotedText(options.partition));
    }
    if (!options.gpus.empty()) {
        add("slurm_extra=" + quotedText("'--gpus=" + options.gpus + "'"));
    }
    return text.empty() ? "" : "    resources: " + text + "\n";
}

std::string snakemakeRule(const std::string& name, const std::string& input,
                          const std::string& output, const std::string& words,
                          const SlurmOptions& options) {
    std::string rule = "\nrule " + name + ":\n";
    rule += input.empty() ? "" : "    input: " + input + "\n";
    rule += "    output: touch(\"" + output + "/{index}\")\n";
    rule += "    log: \"logs/" + name + "-{index}.txt\"\n";
    rule += fmt::format("    threads: {}\n", options.cpus > 0 ? options.cpus : 1);
    rule += snakemakeResources(options);
    rule += "    shell: SETUP + \"COSPADI_THREADS={threads} {PROGRAM:q} job --sweep {SWEEP:q} " +
            words + " --index {wildcards.index} >>{log:q} 2>&1\"\n";
    return rule;
}

std::string snakemakeCommand(const std::filesystem::path& file) {
    return fmt::format("snakemake --snakefile {} --cores all --keep-going",
                       shellWord(file.string()));
}

WorkflowFile snakefile(const SweepContract& contract, const SlurmOptions& options,
                       const std::filesystem::path& program) {
    WorkflowFile result;
    const std::filesystem::path folder = contract.folder() / "snakemake";
    result.file = folder / "Snakefile";
    const std::string limit = options.arrayLimit > 0 ? std::to_string(options.arrayLimit) : "";
    result.start = snakemakeCommand(result.file);
    std::vector<std::size_t> jobs(contract.jobs.size());
    std::iota(jobs.begin(), jobs.end(), std::size_t{0});
    nlohmann::json by = nlohmann::json::array();
    for (const std::optional<std::size_t>& job : calibratingJobs(contract, jobs)) {
        by.push_back(job ? nlohmann::json(*job) : nlohmann::json(-1));
    }
    const bool isBundled = options.bundle > 1;
    std::string text = heading(contract, "snakemake", result.start);
    text += fmt::format(
        "# With snakemake-executor-plugin-slurm: --executor slurm --jobs {} --retries 50 in the\n"
        "# place of --cores; a job that meets its time limit goes on at the next try.\n"
        "# Markers below done/ are snakemake's own; `cospadi sweep status` tells how far it is.\n",
        limit.empty() ? std::string("100") : limit);
    text += "PROGRAM = " + quotedText(program.string()) + "\n";
    text += "SWEEP = " + quotedText(contract.file.string()) + "\n";
    text += fmt::format("COUNT = {}\nBUNDLE = {}  # jobs one after the other\n", jobs.size(),
                        options.bundle);
    text += "# By job, the one that computes its calibration; -1: it needs none.\n";
    text += "CALIBRATED_BY = " + by.dump() + "\n";
    // Snakemake formats commands: braces of the lines are doubled. Its shells stop at unset
    // variables, which lines such as `module load` do not always survive.
    std::string setup = setupLines(options);
    setup = std::regex_replace(setup, std::regex("\\{"), "{{");
    setup = std::regex_replace(setup, std::regex("\\}"), "}}");
    text += "SETUP = " + quotedText(setup.empty() ? "" : "set +eu\n" + setup + "\nset -e\n") + "\n";
    text += "\nworkdir: " + quotedText(folder.string()) + "\n";
    text +=
        "\nwildcard_constraints:\n    index=\"[0-9]+\"\n"
        "\nlocalrules: all\n"
        "\ndef calibrations(wildcards):\n"
        "    first = int(wildcards.index)\n"
        "    return sorted({f\"calibrated/{by}\" for by in CALIBRATED_BY[first:first + BUNDLE]"
        " if by >= 0})\n"
        "\nrule all:\n    input: expand(\"done/{index}\", index=range(0, COUNT, BUNDLE))\n";
    text += snakemakeRule("calibrate", "", "calibrated", "--stage calibrate", options);
    const bool isMeasured = contract.evaluation.has_value() && !isBundled;
    text += snakemakeRule(
        "compress", "calibrations", isMeasured ? "compressed" : "done",
        isBundled ? fmt::format("--count {}", options.bundle) : "--stage compress", options);
    if (isMeasured) {
        text += snakemakeRule("evaluate", "\"compressed/{index}\"", "done", "--stage evaluate",
                              options);
    }
    result.text = std::move(text);
    return result;
}

// --- Kubernetes

WorkflowFile kubernetesJob(const SweepContract& contract, const SlurmOptions& options,
                           const std::filesystem::path& program) {
    refusePartition(options, "Kubernetes");
    WorkflowFile result;
    result.file = contract.folder() / "kubernetes" / "job.yaml";
    result.start = "kubectl apply --filename " + shellWord(result.file.string());
    result.edit = {"the image", "the claim of the shared folder"};
    const auto bundle = static_cast<std::size_t>(options.bundle);
    const std::size_t tasks = (contract.jobs.size() + bundle - 1) / bundle;
    const std::size_t atOnce =
        options.arrayLimit > 0 ? static_cast<std::size_t>(options.arrayLimit) : tasks;
    std::string script = setupLines(options);
    script += script.empty() || script.ends_with('\n') ? "" : "\n";
    // exec: what ends the pod ends the job, which then stops in order.
    script += fmt::format("exec {} --index $((JOB_COMPLETION_INDEX * {})) --count {}\n",
                          jobWords(contract, program), bundle, bundle);
    std::string limits;
    limits += options.cpus > 0 ? fmt::format("              cpu: {}\n", options.cpus) : "";
    limits += options.mem.empty()
                  ? ""
                  : fmt::format("              memory: {}Mi\n", slurmMebibytes(options.mem));
    const auto [kind, gpus] = gpuKindAndCount(options.gpus);
    limits += gpus.empty() ? "" : fmt::format("              nvidia.com/gpu: {}\n", gpus);
    std::string text = heading(contract, "kubernetes", result.start);
    text +=
        "# The folder of the sweep, model and texts have to lie under the same names in the "
        "pods.\n";
    text += "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: " + slurmJobName(contract) + "\n";
    text += fmt::format(
        "spec:\n  completionMode: Indexed\n  completions: {}\n  parallelism: {}\n"
        "  backoffLimitPerIndex: {}\n  podFailurePolicy:\n    rules:\n"
        "      - action: FailIndex  # 42: nothing but another file or program changes it\n"
        "        onExitCodes: {{containerName: job, operator: In, values: [42]}}\n"
        "      - action: Ignore  # a node that goes down is no failure of the job\n"
        "        onPodConditions: [{{type: DisruptionTarget, status: \"True\"}}]\n",
        tasks, std::min(atOnce, tasks), kRetries);
    text += "  template:\n    spec:\n      restartPolicy: Never\n";
    text += options.time.empty()
                ? ""
                : fmt::format("      activeDeadlineSeconds: {}\n", slurmMinutes(options.time) * 60);
    text += kind.empty()
                ? ""
                : "      nodeSelector:\n        nvidia.com/gpu.product: " + quotedText(kind) + "\n";
    text +=
        "      containers:\n        - name: job\n"
        "          image: cospadi-workbench:latest  # EDIT: one that has cospadi\n"
        "          command:\n            - sh\n            - -c\n            - |\n";
    text += indented(script, "              ");
    if (options.cpus > 0) {
        text +=
            fmt::format("          env:\n            - {{name: COSPADI_THREADS, value: \"{}\"}}\n",
                        options.cpus);
    }
    text += limits.empty() ? "" : "          resources:\n            limits:\n" + limits;
    text += "          volumeMounts:\n            - {name: sweep, mountPath: " +
            quotedText(contract.folder().string()) + "}\n";
    text +=
        "      volumes:\n        - name: sweep\n          persistentVolumeClaim:\n"
        "            claimName: cospadi-sweep  # EDIT: one that many nodes may write\n";
    result.text = std::move(text);
    return result;
}

// --- SkyPilot

WorkflowFile skypilotTask(const SweepContract& contract, const SlurmOptions& options,
                          const std::filesystem::path& program) {
    refusePartition(options, "SkyPilot");
    if (!options.time.empty()) {
        throw Error("SkyPilot has no limit of time", "--time", "leave it out");
    }
    WorkflowFile result;
    result.file = contract.folder() / "skypilot" / "task.yaml";
    result.start = "sky launch " + shellWord(result.file.string());
    result.edit = {"the volume of the shared folder", "how cospadi comes to the nodes"};
    std::string text = heading(contract, "skypilot", result.start);
    text +=
        "# The folder of the sweep, model and texts have to lie under the same names on all "
        "nodes.\n";
    text += "name: " + slurmJobName(contract) + "\n";
    std::string resources;
    resources += options.cpus > 0 ? fmt::format("  cpus: {}+\n", options.cpus) : "";
    resources +=
        options.mem.empty()
            ? ""
            : fmt::format("  memory: {}+\n", (slurmMebibytes(options.mem) + kKibi - 1) / kKibi);
    if (const auto [kind, count] = gpuKindAndCount(options.gpus); !count.empty()) {
        resources += kind.empty()
                         ? fmt::format("  accelerators: \"A100:{}\"  # EDIT: the kind\n", count)
                         : "  accelerators: " + quotedText(kind + ":" + count) + "\n";
    }
    text += resources.empty() ? "" : "resources:\n" + resources;
    text += fmt::format("num_nodes: {}\n", std::max(1, options.arrayLimit));
    text += "volumes:\n  " + quotedText(contract.folder().string()) +
            ": cospadi-sweep  # EDIT: one that many nodes may write\n";
    text += "setup: |\n" +
            indented("# EDIT: what installs cospadi where the image has none\n" +
                         setupLines(options) + "\n" + shellWord(program.string()) + " --version\n",
                     "  ");
    // Nodes share what is left among themselves. One that ends early, or with a failure, ends all
    // of them: each stays until no job is at work.
    text +=
        "run: |\n" +
        indented(setupLines(options) +
                     "\nstopped=\nchild=\n"
                     "trap 'stopped=1; [ -z \"$child\" ] || kill -TERM \"$child\"' TERM INT\n"
                     "while :; do\n    " +
                     jobWords(contract, program) +
                     " --left &\n    child=$!\n    wait \"$child\"\n    code=$?\n"
                     "    while kill -0 \"$child\" 2>/dev/null; do wait \"$child\"; code=$?; done\n"
                     "    child=\n"
                     "    [ \"$code\" = 75 ] && [ -z \"$stopped\" ] || exit \"$code\"\n"
                     "    sleep 30\ndone\n",
                 "  ");
    result.text = std::move(text);
    return result;
}

}  // namespace

const std::vector<std::string>& workflowEngines() {
    static const std::vector<std::string> engines{"snakemake", "kubernetes", "skypilot"};
    return engines;
}

WorkflowFile workflowFile(const std::string& engine, const SweepContract& contract,
                          const SlurmOptions& options, const std::filesystem::path& program) {
    if (engine == "snakemake") {
        return snakefile(contract, options, program);
    }
    if (engine == "kubernetes") {
        return kubernetesJob(contract, options, program);
    }
    if (engine == "skypilot") {
        return skypilotTask(contract, options, program);
    }
    throw Error("is no engine that a file is made for", engine,
                "there are snakemake, kubernetes and skypilot");
}

std::string snakemakeStart(const SweepContract& contract) {
    const std::filesystem::path file = contract.folder() / "snakemake" / "Snakefile";
    std::error_code failed;
    return std::filesystem::exists(file, failed) ? snakemakeCommand(file) : "";
}

// minutes, M:S, H:M:S, D-H, D-H:M, D-H:M:S; seconds are rounded up.
std::int64_t slurmMinutes(const std::string& time) {
    std::smatch found;
    const std::regex form(R"((?:([0-9]{1,6})-)?([0-9]{1,9})(?::([0-9]{1,9}))?(?::([0-9]{1,9}))?)");
    if (!std::regex_match(time, found, form)) {
        return 0;
    }
    const auto number = [&](int group) {
        return found[static_cast<std::size_t>(group)].matched
                   ? std::stoll(found[static_cast<std::size_t>(group)])
                   : 0;
    };
    constexpr std::int64_t kSecondsAMinute = 60;
    const auto rounded = [](std::int64_t minutes, std::int64_t seconds) {
        return minutes + (seconds + kSecondsAMinute - 1) / kSecondsAMinute;
    };
    if (found[1].matched) {
        const std::int64_t hours = number(1) * kHoursADay + number(2);
        return rounded(hours * kMinutesAnHour + number(3), number(4));
    }
    if (found[4].matched) {
        return rounded(number(2) * kMinutesAnHour + number(3), number(4));
    }
    return rounded(number(2), number(3));
}

// Without a unit megabytes, as Slurm counts them: 2²⁰ bytes.
std::int64_t slurmMebibytes(const std::string& mem) {
    if (mem.empty()) {
        return 0;
    }
    const std::int64_t number = std::stoll(mem);
    switch (mem.back()) {
        case 'K':
            return (number + kKibi - 1) / kKibi;
        case 'G':
            return number * kKibi;
        case 'T':
            return number * kKibi * kKibi;
        default:
            return number;
    }
}

}  // namespace cospadi
