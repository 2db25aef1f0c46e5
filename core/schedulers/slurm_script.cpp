#include "core/schedulers/slurm_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>
#include <set>

#include "core/base/error.h"
#include "core/base/sha256.h"
#include "core/base/shell_word.h"
#include "core/schedulers/shared_calibrations.h"
#include "core/store/field_reader.h"

namespace cospadi {

namespace {

constexpr int kWarningSeconds = 60;  // before the time limit
constexpr int kMostRestarts = 50;    // a job that never gets to the end of a matrix has to end

void requireWord(const std::string& word, const char* pattern, const char* flag, const char* hint) {
    if (!word.empty() && !std::regex_match(word, std::regex(pattern))) {
        throw Error("\"" + word + "\" is not a valid value for sbatch", flag, hint);
    }
}

// In a file's name sbatch reads %.
std::string withoutPatterns(const std::string& path) {
    std::string result;
    for (const char c : path) {
        result += c == '%' ? std::string("%%") : std::string(1, c);
    }
    return result;
}

std::string directive(const char* option, const std::string& value) {
    return value.empty() ? "" : fmt::format("#SBATCH --{}={}\n", option, value);
}

// Arrays of the tasks below maxArraySize, one after the other.
std::vector<SlurmArray> split(JobStage stage, const std::vector<std::size_t>& jobs,
                              std::size_t maxArraySize, std::size_t bundle) {
    std::vector<SlurmArray> arrays;
    for (const std::size_t job : jobs) {
        const std::size_t offset = job - job % (maxArraySize * bundle);
        if (arrays.empty() || arrays.back().offset != offset) {
            arrays.push_back({stage, offset, {}, {}, bundle});
        }
        const std::size_t task = (job - offset) / bundle;
        if (arrays.back().tasks.empty() || arrays.back().tasks.back() != task) {
            arrays.back().tasks.push_back(task);
        }
    }
    return arrays;
}

}  // namespace

void validate(const SlurmOptions& o) {
    requireWord(o.partition, "[A-Za-z0-9_.,-]+", "--partition", "`sinfo` lists them");
    requireWord(o.time, "[0-9]+(-[0-9]+)?(:[0-9]+){0,2}", "--time",
                "for example 90 (minutes), 4:00:00 or 2-12");
    requireWord(o.mem, "[0-9]{1,9}[KMGT]?", "--mem", "for example 16G");
    requireWord(o.gpus, "([A-Za-z0-9_.-]+:)?[0-9]+", "--gpus", "for example 1 or a100:2");
    if (o.bundle < 1) {
        throw Error("is below one", "--bundle", "omit it for one job per task");
    }
    if (o.cpus < 0 || o.arrayLimit < 0) {
        throw Error("is below zero", o.cpus < 0 ? "--cpus" : "--array-limit",
                    "omit it to use the cluster's default");
    }
}

std::string commandWords(const SlurmOptions& o) {
    std::string words = "--on slurm";
    const auto add = [&](const char* flag, const std::string& value) {
        words += value.empty() ? "" : fmt::format(" {} {}", flag, shellWord(value));
    };
    add("--partition", o.partition);
    add("--time", o.time);
    add("--mem", o.mem);
    add("--cpus", o.cpus > 0 ? std::to_string(o.cpus) : "");
    add("--gpus", o.gpus);
    add("--bundle", o.bundle > 1 ? std::to_string(o.bundle) : "");
    add("--array-limit", o.arrayLimit > 0 ? std::to_string(o.arrayLimit) : "");
    add("--setup", o.setup.string());
    return words;
}

nlohmann::json toJson(const SlurmOptions& o) {
    return {{"partition", o.partition},
            {"time", o.time},
            {"mem", o.mem},
            {"gpus", o.gpus},
            {"cpus", o.cpus},
            {"bundle", o.bundle},
            {"array_limit", o.arrayLimit},
            {"setup", o.setup.string()}};
}

SlurmOptions slurmOptionsFromJson(const nlohmann::json& json) {
    SlurmOptions o;
    std::string setup;
    FieldReader fields(json, "");
    fields.read("partition", o.partition);
    fields.read("time", o.time);
    fields.read("mem", o.mem);
    fields.read("gpus", o.gpus);
    fields.read("cpus", o.cpus);
    fields.read("bundle", o.bundle);
    fields.read("array_limit", o.arrayLimit);
    fields.read("setup", setup);
    fields.refuseUnknown("options of Slurm");
    o.setup = setup;
    validate(o);
    return o;
}

std::string slurmJobName(const SweepContract& contract) {
    return "cospadi-" + sha256OfString(contract.file.string()).substr(0, 12);
}

std::string slurmScript(const SweepContract& contract, JobStage stage, const SlurmOptions& options,
                        const std::string& setup, const std::filesystem::path& program) {
    const auto number = [](int value) { return value > 0 ? std::to_string(value) : ""; };
    std::string script = "#!/bin/bash\n";
    script += directive("job-name", slurmJobName(contract));
    const std::string logs = (contract.folder() / "slurm" / "logs").string();
    script += directive("output", "\"" + withoutPatterns(logs) + "/%A_%a.txt\"");
    script += "#SBATCH --open-mode=append\n#SBATCH --requeue\n";
    script += fmt::format("#SBATCH --signal=B:USR1@{}\n", kWarningSeconds);
    script += directive("partition", options.partition);
    script += directive("time", options.time);
    script += directive("mem", options.mem);
    script += directive("cpus-per-task", number(options.cpus));
    script += directive("gpus", options.gpus);
    script += setup.empty() || setup.ends_with('\n') ? setup : setup + "\n";
    script += "export COSPADI_THREADS=\"${SLURM_CPUS_PER_TASK:-}\"\n";
    const bool isBundle = stage == JobStage::All && options.bundle > 1;
    script +=
        fmt::format("{} job --sweep {} --stage {} --index $(($1 + SLURM_ARRAY_TASK_ID{})){} &\n",
                    shellWord(program.string()), shellWord(contract.file.string()), name(stage),
                    isBundle ? fmt::format(" * {}", options.bundle) : "",
                    isBundle ? fmt::format(" --count {}", options.bundle) : "");
    // The batch shell alone is told that time is nearly up; a job of its own makes its signals.
    script +=
        "child=$!\n"
        "trap 'up=1; kill -USR1 $child' USR1\n"
        "trap 'kill -TERM $child' TERM\n"
        "wait $child; code=$?\n"
        "while kill -0 $child 2>/dev/null; do wait $child; code=$?; done\n"
        "if [ $code -gt 128 ]; then wait $child; last=$?; [ $last = 127 ] || code=$last; fi\n";
    script += fmt::format(
        "if [ -n \"${{up:-}}\" ] && [ $code = 75 ] && [ \"${{SLURM_RESTART_COUNT:-0}}\" -lt {} ]; "
        "then\n"
        "    scontrol requeue \"${{SLURM_ARRAY_JOB_ID}}_${{SLURM_ARRAY_TASK_ID}}\"\n"
        "fi\n"
        "exit $code\n",
        kMostRestarts);
    return script;
}

std::vector<SlurmArray> slurmArrays(const SweepContract& contract,
                                    const std::vector<std::size_t>& jobs, std::size_t maxArraySize,
                                    std::size_t bundle) {
    std::set<std::size_t> calibrating;
    for (const std::optional<std::size_t>& by : calibratingJobs(contract, jobs)) {
        if (by) {
            calibrating.insert(*by);
        }
    }
    std::vector<SlurmArray> arrays =
        split(JobStage::Calibrate, {calibrating.begin(), calibrating.end()}, maxArraySize, 1);
    std::vector<std::size_t> before(arrays.size());
    for (std::size_t i = 0; i < before.size(); ++i) {
        before[i] = i;
    }
    const JobStage work = bundle > 1 ? JobStage::All : JobStage::Compress;
    for (SlurmArray& compression : split(work, jobs, maxArraySize, bundle)) {
        compression.after = before;
        arrays.push_back(std::move(compression));
        if (contract.evaluation && bundle == 1) {
            SlurmArray evaluation = arrays.back();
            evaluation.stage = JobStage::Evaluate;
            evaluation.after = {arrays.size() - 1};
            arrays.push_back(std::move(evaluation));
        }
    }
    return arrays;
}

std::string arrayText(const std::vector<std::size_t>& tasks, int limit) {
    std::string text;
    for (std::size_t i = 0; i < tasks.size();) {
        std::size_t last = i;
        while (last + 1 < tasks.size() && tasks[last + 1] == tasks[last] + 1) {
            ++last;
        }
        text += fmt::format("{}{}", text.empty() ? "" : ",", tasks[i]);
        text += last > i ? fmt::format("-{}", tasks[last]) : "";
        i = last + 1;
    }
    return limit > 0 ? fmt::format("{}%{}", text, limit) : text;
}

}  // namespace cospadi
