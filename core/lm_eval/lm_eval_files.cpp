#include "core/lm_eval/lm_eval_files.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/lm_eval/python_environment.h"
#include "core/tensors/atomic_file.h"
#include "cospadi_version.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// lm-eval writes likelihoods as Python prints them.
json response(const Task& task, const ContinuationScore& score) {
    const std::string value = fmt::format("{}", score.logLikelihood);
    return task.form == TaskForm::Rolling ? json(value)
                                          : json::array({value, score.isGreedy ? "True" : "False"});
}

json recordOf(const Task& task, std::size_t index, const ItemOutcome& outcome) {
    const TaskItem& item = task.items[index];
    json arguments = json::object();
    json responses = json::array();
    json filtered = json::array();
    for (std::size_t i = 0; i < item.continuations.size(); ++i) {
        json& pair = arguments[fmt::format("gen_args_{}", i)];
        if (task.form == TaskForm::Rolling) {
            pair = {{"arg_0", item.continuations[i]}};
        } else {
            pair = {{"arg_0", item.contextOf(i)}, {"arg_1", item.continuations[i]}};
        }
        filtered.push_back(response(task, outcome.scores[i]));
        responses.push_back(json::array({filtered.back()}));
    }
    json sample{{"doc_id", index},
                {"doc", item.record},
                {"target", task.form == TaskForm::Choice ? std::to_string(item.answer)
                                                         : item.continuations.front()},
                {"arguments", arguments},
                {"resps", responses},
                {"filtered_resps", filtered},
                {"filter", "none"}};
    if (task.form != TaskForm::Rolling) {
        sample["acc"] = outcome.isCorrect ? 1.0 : 0.0;
    }
    if (task.form == TaskForm::Continuation) {
        sample["perplexity"] = outcome.scores.front().logLikelihood;
    }
    if (task.hasLengthNorm) {
        sample["acc_norm"] = outcome.isCorrectByLength ? 1.0 : 0.0;
    }
    return sample;
}

json numberOrUnknown(double value) { return std::isfinite(value) ? json(value) : json("N/A"); }

fs::path resultsFile(const fs::path& folder, const std::string& stamp) {
    return folder / fmt::format("results_{}.json", stamp);
}

fs::path samplesFile(const fs::path& folder, const std::string& task, const std::string& stamp) {
    return folder / fmt::format("samples_{}_{}.jsonl", task, stamp);
}

// By which results and samples belong together, 2026-11-21T02-03-31.333142: now, or the next
// microsecond that no results in the folder have.
std::string freeStamp(const fs::path& folder) {
    using std::chrono::microseconds;
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    for (auto moment = std::chrono::duration_cast<microseconds>(now);; moment += microseconds(1)) {
        const auto second = std::chrono::floor<std::chrono::seconds>(moment);
        std::string stamp = fmt::format("{:%Y-%m-%dT%H-%M-%S}.{:06}",
                                        fmt::gmtime(static_cast<std::time_t>(second.count())),
                                        (moment - second).count());
        if (!fs::exists(resultsFile(folder, stamp))) {
            return stamp;
        }
    }
}

}  // namespace

TaskEvaluation writeLmEvalFiles(const fs::path& folder, const std::string& model, const Task& task,
                                const TaskOutcome& outcome, const TaskSetting& setting) {
    const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    const std::string stamp = freeStamp(folder);
    const auto samples = static_cast<std::int64_t>(outcome.items.size());
    json values{{"alias", task.name}, {"sample_len", samples}};
    json better = json::object();
    for (const TaskMetric& metric : outcome.metrics) {
        values[metric.name + ",none"] = metric.value;
        values[metric.name + "_stderr,none"] = numberOrUnknown(metric.standardError);
        better[metric.name] = metric.higherIsBetter;
    }
    const json file{
        {"results", {{task.name, values}}},
        {"versions", {{task.name, std::stod(task.version)}}},
        {"n-shot", {{task.name, task.shots}}},
        {"higher_is_better", {{task.name, better}}},
        {"n-samples", {{task.name, {{"original", samples}, {"effective", samples}}}}},
        {"config",
         {{"model", "native"},
          {"model_args", {{"max_length", setting.maxLength}}},
          {"limit", setting.limit > 0 ? json(setting.limit) : json()}}},
        {"model_name", model},
        {"lm_eval_version", fmt::format("native {}, as {}", COSPADI_VERSION, lmEvalVersion)},
        {"date", static_cast<double>(now)},
        {"total_evaluation_time_seconds", fmt::format("{}", setting.seconds)}};
    std::string lines;
    for (std::size_t i = 0; i < outcome.items.size(); ++i) {
        lines += recordOf(task, i, outcome.items[i])
                     .dump(-1, ' ', false, json::error_handler_t::replace) +
                 "\n";
    }
    fs::create_directories(folder);
    writeFileAtomically(samplesFile(folder, task.name, stamp), lines);
    const fs::path results = resultsFile(folder, stamp);
    writeFileAtomically(results, file.dump(1) + "\n");
    TaskEvaluation evaluation = readTaskEvaluation(results);
    for (TaskResultRow& row : evaluation.results) {
        row.version = versionAtLength(row.version, setting.maxLength);
        row.dataSha256 = task.dataSha256;
    }
    return evaluation;
}

void copyLmEvalFiles(const TaskEvaluation& recorded, const fs::path& folder) {
    constexpr std::string_view kSamples = "samples_";
    fs::create_directories(folder);
    const std::string stamp = freeStamp(folder);
    for (const auto& entry : fs::directory_iterator(recorded.source.parent_path())) {
        const std::string name = entry.path().stem().string();
        if (name.starts_with(kSamples) && entry.path().extension() == ".jsonl") {
            fs::copy_file(entry.path(), samplesFile(folder, name.substr(kSamples.size()), stamp));
        }
    }
    fs::copy_file(recorded.source, resultsFile(folder, stamp));
}

void requireWritableFolder(const fs::path& folder) {
    if (folder.empty()) {
        return;
    }
    std::error_code failed;
    fs::create_directories(folder, failed);
    if (failed || ::access(folder.c_str(), W_OK | X_OK) != 0) {
        throw Error("cannot be written to", folder.string(),
                    "check its permissions, or give another folder by --out");
    }
}

TaskEvaluation questionOf(const Task& task, std::int64_t maxLength) {
    TaskEvaluation question;
    TaskResultRow row;
    row.task = task.name;
    row.version = versionAtLength(json(std::stod(task.version)).dump(), maxLength);
    row.shots = task.shots;
    row.samples = static_cast<std::int64_t>(task.items.size());
    row.dataSha256 = task.dataSha256;
    question.results = {row};
    return question;
}

}  // namespace cospadi
