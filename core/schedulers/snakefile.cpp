#include "core/schedulers/snakefile.h"

#include <fmt/format.h>

#include <cstddef>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <regex>
#include <vector>

#include "core/base/shell_word.h"
#include "core/schedulers/shared_calibrations.h"
#include "core/schedulers/slurm_units.h"
#include "core/schedulers/workflow_text.h"

namespace cospadi {

namespace {

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
        add("slurm_partition=" + workflow::quotedText(options.partition));
    }
    if (!options.gpus.empty()) {
        add("slurm_extra=" + workflow::quotedText("'--gpus=" + options.gpus + "'"));
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

}  // namespace

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
    std::string text = workflow::heading(contract, "snakemake", result.start);
    text += fmt::format(
        "# With snakemake-executor-plugin-slurm: --executor slurm --jobs {} --retries 50 instead\n"
        "# of --cores; a job that reaches its time limit is resumed by the next try.\n"
        "# Markers below done/ are snakemake's own; `cospadi sweep status` shows the progress.\n",
        limit.empty() ? std::string("100") : limit);
    text += "PROGRAM = " + workflow::quotedText(program.string()) + "\n";
    text += "SWEEP = " + workflow::quotedText(contract.file.string()) + "\n";
    text += fmt::format("COUNT = {}\nBUNDLE = {}  # jobs one after the other\n", jobs.size(),
                        options.bundle);
    text += "# By job, the one that computes its calibration; -1: it needs none.\n";
    text += "CALIBRATED_BY = " + by.dump() + "\n";
    // Snakemake formats commands: braces of the lines are doubled. Its shells stop at unset
    // variables, which lines such as `module load` do not always survive.
    std::string setup = workflow::setupLines(options);
    setup = std::regex_replace(setup, std::regex("\\{"), "{{");
    setup = std::regex_replace(setup, std::regex("\\}"), "}}");
    text +=
        "SETUP = " + workflow::quotedText(setup.empty() ? "" : "set +eu\n" + setup + "\nset -e\n") +
        "\n";
    text += "\nworkdir: " + workflow::quotedText(folder.string()) + "\n";
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

}  // namespace cospadi
