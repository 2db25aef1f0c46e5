#include "core/cluster/job_result.h"

#include <cstdint>
#include <exception>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/json_number.h"
#include "core/tensors/atomic_file.h"
#include "core/tensors/bounded_json.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::uintmax_t kLargestResult = 64 << 10;  // bytes
constexpr int kDeepestResult = 4;

fs::path resultFile(const SweepContract& contract, std::size_t job) {
    return contract.stateOf(job) / "result.json";
}

}  // namespace

std::optional<JobResult> jobResult(const SweepContract& contract, std::size_t job) {
    const fs::path file = resultFile(contract, job);
    std::error_code failed;
    if (!fs::exists(file, failed)) {
        return std::nullopt;
    }
    try {
        const json object = readBoundedJson(file, kLargestResult, kDeepestResult);
        JobResult result;
        result.run = object.at("run").get<std::string>();
        if (contract.evaluation && !contract.evaluation->text.empty()) {
            result.perplexity = numberOrNaN(object.at("perplexity"));
            // Another sweep in the same folder may have measured another one of the run; older
            // results do not tell.
            const auto of = object.find("perplexity_of");
            if (of != object.end() && *of != perplexityMeasure(*contract.evaluation)) {
                return std::nullopt;
            }
        }
        // Or wanted no model folder.
        if (contract.execution.models && !object.value("has_model", false)) {
            return std::nullopt;
        }
        // Or other tasks.
        if (contract.evaluation && !contract.evaluation->tasks.tasks.empty() &&
            object.at("tasks") != toJson(contract.evaluation->tasks)) {
            return std::nullopt;
        }
        return result;
    } catch (const std::exception&) {
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
    if (contract.evaluation) {
        if (!contract.evaluation->text.empty()) {
            result["perplexity"] = perplexity.value();
            result["perplexity_of"] = perplexityMeasure(*contract.evaluation);
        }
        if (!contract.evaluation->tasks.tasks.empty()) {
            result["tasks"] = toJson(contract.evaluation->tasks);
        }
    }
    writeFileAtomically(resultFile(contract, job), result.dump(1) + "\n");
}

}  // namespace cospadi
