#include "core/cluster/job_result.h"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/base/error.h"
#include "core/base/json_number.h"
#include "core/tensors/atomic_file.h"
#include "core/tensors/bounded_json.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::uintmax_t kLargestResult = 1 << 20;  // bytes
constexpr int kDeepestResult = 6;
constexpr const char* kOthers = "others";

fs::path resultFile(const SweepContract& contract, std::size_t job) {
    return contract.stateOf(job) / "result.json";
}

// Empty where there is none, or a damaged one.
std::optional<json> readResult(const SweepContract& contract, std::size_t job) {
    const fs::path file = resultFile(contract, job);
    std::error_code failed;
    if (!fs::exists(file, failed)) {
        return std::nullopt;
    }
    try {
        return readBoundedJson(file, kLargestResult, kDeepestResult);
    } catch (const Error&) {
        return std::nullopt;
    }
}

// What a result tells of measures: those of the sweep that wrote it, and those of others in the
// same folder, each an object with "perplexity" and "perplexity_of", "tasks" or both.
std::vector<json> measuresIn(const json& result) {
    std::vector<json> all{result};
    const json others = result.value(kOthers, json::array());
    all.insert(all.end(), others.begin(), others.end());
    return all;
}

json measuresOf(const SweepContract& contract, std::optional<double> perplexity) {
    json measures = json::object();
    if (contract.evaluation && !contract.evaluation->text.empty()) {
        measures["perplexity"] = perplexity.value();
        measures["perplexity_of"] = perplexityMeasure(*contract.evaluation);
    }
    if (contract.evaluation && !contract.evaluation->tasks.tasks.empty()) {
        measures["tasks"] = toJson(contract.evaluation->tasks);
    }
    return measures;
}

// What was measured, without what came of it. Older results do not tell it of a perplexity.
json questionOf(const json& measures) {
    json question = json::object();
    for (const char* field : {"perplexity_of", "tasks"}) {
        if (const auto found = measures.find(field); found != measures.end()) {
            question[field] = *found;
        }
    }
    return question;
}

// Nothing where these are of another perplexity, or of none.
std::optional<double> perplexityIn(const json& measures, const json& asked) {
    const auto value = measures.find("perplexity");
    const bool isOther = measures.value("perplexity_of", asked) != asked;
    return value == measures.end() || isOther ? std::nullopt : std::optional(numberOrNaN(*value));
}

// Those of the earlier result that answer another question.
json othersThan(const json& measures, const std::optional<json>& earlier) {
    json others = json::array();
    for (const json& one : earlier ? measuresIn(*earlier) : std::vector<json>()) {
        json kept = questionOf(one);
        if (kept.empty() || kept == questionOf(measures)) {
            continue;
        }
        if (const auto value = one.find("perplexity"); value != one.end()) {
            kept["perplexity"] = *value;
        }
        others.push_back(std::move(kept));
    }
    return others;
}

// As jobResult(); throws for a result of which a field is missing or ill-typed.
std::optional<JobResult> answerIn(const json& object, const SweepContract& contract) {
    JobResult result;
    result.run = object.at("run").get<std::string>();
    if (contract.execution.models && !object.value("has_model", false)) {
        return std::nullopt;
    }
    if (!contract.evaluation) {
        return result;
    }
    const ContractedEvaluation& evaluation = *contract.evaluation;
    const std::vector<json> measures = measuresIn(object);
    if (!evaluation.text.empty()) {
        const json asked = perplexityMeasure(evaluation);
        for (const json& one : measures) {
            result.perplexity = result.perplexity ? result.perplexity : perplexityIn(one, asked);
        }
        if (!result.perplexity) {
            return std::nullopt;
        }
    }
    const bool hasTasks =
        evaluation.tasks.tasks.empty() ||
        std::any_of(measures.begin(), measures.end(), [&](const json& one) {
            return one.contains("tasks") && one.at("tasks") == toJson(evaluation.tasks);
        });
    return hasTasks ? std::optional(result) : std::nullopt;
}

}  // namespace

std::optional<JobResult> jobResult(const SweepContract& contract, std::size_t job) {
    const std::optional<json> object = readResult(contract, job);
    try {
        return object ? answerIn(*object, contract) : std::nullopt;
    } catch (const std::exception&) {  // damaged
        return std::nullopt;
    }
}

void writeJobResult(const SweepContract& contract, std::size_t job, const RunSummary& run,
                    std::optional<double> perplexity) {
    json result{{"format", 1},
                {"id", contract.jobs[job].id},
                {"run", run.id},
                {"has_model", contract.execution.models || run.modelBytes > 0},
                {"bytes", run.bytes},
                {"dense_bytes", run.denseBytes},
                {"relative_error", run.relativeError},
                {"seconds", run.seconds}};
    const json measures = measuresOf(contract, perplexity);
    result.update(measures);
    json others = json::array();
    try {
        others = othersThan(measures, readResult(contract, job));
    } catch (const json::exception&) {  // damaged: the others measure again
    }
    if (!others.empty()) {
        result[kOthers] = std::move(others);
    }
    writeFileAtomically(resultFile(contract, job), result.dump(1) + "\n");
}

}  // namespace cospadi
