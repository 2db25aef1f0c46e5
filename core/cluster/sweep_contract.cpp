#include "core/cluster/sweep_contract.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/base/error.h"
#include "core/base/program_revision.h"
#include "core/base/sha256.h"
#include "core/run/earlier_runs.h"
#include "core/run/evaluate_run.h"
#include "core/store/field_reader.h"
#include "core/store/folder_lock.h"
#include "core/sweep/sweep_grid.h"
#include "core/tensors/atomic_file.h"
#include "core/tensors/bounded_json.h"
#include "core/tensors/printable_name.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int kFormat = 1;
constexpr std::uintmax_t kLargestContract = 512 << 20;  // bytes; 100 000 jobs have some 150 MB
constexpr int kDeepestContract = 8;
constexpr std::size_t kIdDigits = 16;
constexpr double kLongestLease = 86'400;
constexpr const char* kOfWhat = "a sweep file";
constexpr const char* kHint =
    "write it with `cospadi sweep … --write-jobs FILE`; docs/cluster.md describes its contents";

bool isJobId(const std::string& text) {
    return text.size() == kIdDigits &&
           text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

void require(bool holds, const std::string& what, const std::string& where) {
    if (!holds) {
        throw Error(what, where, kHint);
    }
}

ContractedExecution executionFrom(const json& object) {
    ContractedExecution execution;
    FieldReader fields(object, "execution.");
    fields.read("device", execution.device);
    fields.read("tf32", execution.tf32);
    fields.read("models", execution.models);
    fields.read("lease_seconds", execution.leaseSeconds);
    fields.refuseUnknown(kOfWhat);
    require(execution.leaseSeconds > 0 && execution.leaseSeconds <= kLongestLease,
            "is not a number of seconds up to a day", "execution.lease_seconds");
    return execution;
}

ContractedEvaluation evaluationFrom(const json& object) {
    ContractedEvaluation evaluation;
    std::string score = name(evaluation.options.score);
    FieldReader fields(object, "evaluate.");
    fields.read("text", evaluation.text);
    fields.read("text_sha256", evaluation.textSha256);
    fields.read("context", evaluation.options.context);
    fields.read("max_tokens", evaluation.options.maxTokens);
    fields.read("score", score);
    if (const json* tasks = fields.child("tasks")) {
        evaluation.tasks = taskPlanFromJson(*tasks, "evaluate.tasks");
    }
    fields.read("task_data", evaluation.taskData);
    fields.refuseUnknown(kOfWhat);
    evaluation.options.score = scoredTokensFromName(score);
    evaluation.options.validate();
    require(!evaluation.text.empty() || !evaluation.tasks.tasks.empty(),
            "has neither a text nor tasks", "evaluate");
    return evaluation;
}

std::vector<ContractedJob> jobsFrom(const json& list) {
    require(list.is_array() && !list.empty(), "is not a list of jobs", "jobs");
    require(list.size() <= kLargestSweep, fmt::format("has more than {} jobs", kLargestSweep),
            "jobs");
    std::vector<ContractedJob> jobs;
    std::set<std::string> ids;
    for (const json& one : list) {
        const std::string where = fmt::format("jobs[{}]", jobs.size());
        FieldReader fields(one, where + ".");
        ContractedJob job;
        fields.read("id", job.id);
        require(isJobId(job.id), "\"" + printableName(job.id) + "\" is not the id of a job",
                where + ".id");  // it names folders
        require(ids.insert(job.id).second, "is an id that occurs twice", where + ".id");
        const json* specification = fields.child("specification");
        require(specification != nullptr && specification->is_object(), "is not a specification",
                where + ".specification");
        fields.refuseUnknown(kOfWhat);
        job.specification = *specification;
        jobs.push_back(std::move(job));
    }
    return jobs;
}

SweepContract contractFrom(const json& object) {
    SweepContract contract;
    int format = 0;
    FieldReader fields(object, "");
    fields.read("format", format);
    require(format == kFormat, fmt::format("is {}, not {}", format, kFormat), "format");
    fields.read("name", contract.name);
    fields.read("tags", contract.tags);
    fields.read("revision", contract.revision);
    if (const json* execution = fields.child("execution")) {
        contract.execution = executionFrom(*execution);
    }
    if (const json* evaluation = fields.child("evaluate")) {
        contract.evaluation = evaluationFrom(*evaluation);
    }
    const json* jobs = fields.child("jobs");
    contract.jobs = jobsFrom(jobs == nullptr ? json() : *jobs);
    fields.refuseUnknown(kOfWhat);
    return contract;
}

}  // namespace

json perplexityMeasure(const ContractedEvaluation& evaluation) {
    return {{"text_sha256", evaluation.textSha256},
            {"context", evaluation.options.context},
            {"max_tokens", evaluation.options.maxTokens},
            {"score", name(evaluation.options.score)}};
}

std::string contractedJobId(const RunSpecification& specification, const std::string& revision) {
    return sha256OfString(runKey(specification) + "\n" + revision).substr(0, kIdDigits);
}

std::string contractText(const SweepContract& contract) {
    const ContractedExecution& execution = contract.execution;
    json head{{"format", kFormat},
              {"name", contract.name},
              {"tags", contract.tags},
              {"revision", contract.revision},
              {"execution",
               {{"device", execution.device},
                {"tf32", execution.tf32},
                {"models", execution.models},
                {"lease_seconds", execution.leaseSeconds}}}};
    if (contract.evaluation) {
        const ContractedEvaluation& evaluation = *contract.evaluation;
        json& told = head["evaluate"] = json::object();
        if (!evaluation.text.empty()) {
            told = perplexityMeasure(evaluation);
            told["text"] = evaluation.text;
        }
        if (!evaluation.tasks.tasks.empty()) {
            told["tasks"] = toJson(evaluation.tasks);
            told["task_data"] = evaluation.taskData;
        }
    }
    std::string text = head.dump();
    text.pop_back();
    text += ",\n\"jobs\":[";
    const char* between = "\n";
    for (const ContractedJob& job : contract.jobs) {
        text += between;
        text += json{{"id", job.id}, {"specification", job.specification}}.dump();
        between = ",\n";
    }
    return text + "\n]}\n";
}

SweepContract contractOf(const fs::path& file,
                         const std::vector<RunSpecification>& specifications) {
    SweepContract contract;
    contract.file = file.empty() ? file : fs::absolute(file).lexically_normal();
    contract.revision = programRevision();
    for (RunSpecification specification : specifications) {
        std::string& text = specification.calibration.text;
        text = text.empty() ? text : fs::absolute(text).lexically_normal().string();
        contract.jobs.push_back(
            {contractedJobId(specification, contract.revision), toJson(specification)});
    }
    return contract;
}

void writeContract(const SweepContract& contract) {
    const std::string text = contractText(contract);
    const FolderLock lock(contract.folder());
    std::error_code failed;
    if (!fs::exists(contract.file, failed)) {
        fs::create_directories(contract.folder(), failed);  // writing tells why there is none
        writeFileAtomically(contract.file, text);
        fs::permissions(contract.file,
                        fs::perms::owner_read | fs::perms::group_read | fs::perms::others_read,
                        failed);
        return;
    }
    const SweepContract there = readContract(contract.file);
    if (contractText(there) != text) {
        const bool sameProgram = there.revision == contract.revision;
        throw Error(sameProgram ? "contains another sweep, and sweep files are never changed"
                                : "was written by another version of the program",
                    contract.file.string(),
                    "choose another folder and file; finished work here is kept");
    }
}

bool isContract(const json& file) { return file.contains("format") && file.contains("jobs"); }

SweepContract readContract(const fs::path& file) {
    const json object = readBoundedJson(file, kLargestContract, kDeepestContract);
    try {
        SweepContract contract = contractFrom(object);
        contract.file = fs::absolute(file).lexically_normal();
        return contract;
    } catch (const Error& error) {
        throw Error(error.where() + " " + error.problem(), file.string(), kHint);
    }
}

RunSpecification jobSpecification(const SweepContract& contract, std::size_t job) {
    const std::string where = fmt::format("{}, jobs[{}]", contract.file.string(), job);
    const ContractedJob& contracted = contract.jobs.at(job);
    RunSpecification specification;
    try {
        specification = runSpecificationFromJson(contracted.specification);
        validate(specification);
    } catch (const Error& error) {
        throw Error(error.where() + " " + error.problem(), where, error.hint());
    }
    if (contractedJobId(specification, contract.revision) != contracted.id) {
        throw Error("the specification does not match the job's id", where, kHint);
    }
    return specification;
}

void requireOwnRevision(const SweepContract& contract) {
    if (contract.revision != programRevision()) {
        throw Error(fmt::format("was written by revision {} of the program, but this is {}",
                                contract.revision, programRevision()),
                    contract.file.string(),
                    "use the program that wrote it, or write the sweep again to another folder");
    }
}

}  // namespace cospadi
