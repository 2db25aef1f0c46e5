#include "core/lm_eval/task_evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/sha256.h"
#include "core/base/temporary_name.h"
#include "core/base/timestamp.h"
#include "core/lm_eval/lm_eval_number.h"
#include "core/store/run_file.h"
#include "core/tensors/atomic_file.h"
#include "cospadi_version.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kHint = "run lm-eval again";
constexpr const char* kOfChat = " chat";
constexpr const char* kOfLength = " max_length ";

std::string textOf(const json& value) { return value.is_null() ? "" : plainText(value); }

// The name as a view: what is returned is known not to be a part of it.
const json& at(const json& object, std::string_view name) {
    static const json none;
    const auto found = object.is_object() ? object.find(name) : object.end();
    return object.is_object() && found != object.end() ? *found : none;
}

bool looksHigherIsBetter(const std::string& metric) {
    return metric.find("perplexity") == std::string::npos && metric != "bits_per_byte";
}

struct MetricKey {
    std::string metric, filter;
};

// "acc,none" since 0.4, "acc" before.
MetricKey split(const std::string& key) {
    const auto comma = key.find(',');
    return {key.substr(0, comma), comma == std::string::npos ? "" : key.substr(comma + 1)};
}

// Prompts were messages: lm-eval says the template's text, or that the model was asked as a chat.
bool isOfChat(const json& file) {
    const json& text = at(file, "chat_template");
    const json& model = at(at(file, "config"), "model");
    return (text.is_string() && text != "") ||
           (model.is_string() &&
            model.get_ref<const std::string&>().find("chat-completions") != std::string::npos);
}

// As the model's arguments have it, an object or "pretrained=x,max_length=512".
std::int64_t maxLengthIn(const json& arguments) {
    constexpr std::string_view kName = ",max_length=";
    constexpr double kLongest = 1e9;
    json told = at(arguments, "max_length");
    if (arguments.is_string()) {
        const std::string list = "," + arguments.get<std::string>();
        if (const std::size_t found = list.find(kName); found != std::string::npos) {
            const std::size_t begin = found + kName.size();
            told = list.substr(begin, list.find(',', begin) - begin);
        }
    }
    const double length = lmEvalNumber(told);
    return length >= 1 && length <= kLongest ? static_cast<std::int64_t>(length) : kUsualMaxLength;
}

std::vector<TaskResultRow> resultsOf(const json& file, const std::string& task) {
    constexpr std::string_view kError = "_stderr";
    const json& values = file.at("results").at(task);
    const auto& entries = values.get_ref<const json::object_t&>();
    const bool hasFilters = std::any_of(entries.begin(), entries.end(), [](const auto& entry) {
        return entry.first.find(',') != std::string::npos;
    });
    TaskResultRow row;
    row.task = task;
    row.version = textOf(at(at(file, "versions"), task));
    row.version += isOfChat(file) ? kOfChat : "";
    const json& shots = at(at(file, "n-shot"), task);
    row.shots = shots.is_number_integer() ? shots.get<std::int64_t>() : -1;
    const json& counted = at(at(at(file, "n-samples"), task), "effective");
    const json& samples = counted.is_null() ? at(values, "sample_len") : counted;
    row.samples = samples.is_number_integer() ? samples.get<std::int64_t>() : 0;
    std::vector<TaskResultRow> rows;
    for (const auto& [key, value] : values.items()) {
        const MetricKey name = split(key);
        const bool isMetric = hasFilters ? key.find(',') != std::string::npos
                                         : value.is_number() && key != "sample_len";
        if (!isMetric || name.metric.ends_with(kError) ||
            !(value.is_number() || value.is_null() || value == "N/A")) {
            continue;
        }
        row.metric = name.metric;
        row.filter = name.filter;
        row.value = lmEvalNumber(value);
        const std::string error = name.metric + std::string(kError);
        row.standardError =
            lmEvalNumber(at(values, hasFilters ? error + "," + name.filter : error));
        const json& better = at(at(at(file, "higher_is_better"), task), name.metric);
        row.higherIsBetter =
            better.is_boolean() ? better.get<bool>() : looksHigherIsBetter(name.metric);
        rows.push_back(row);
    }
    return rows;
}

// results_2026-11-21T02-03-31.333142.json: names sort by time. Folders one level down count too.
fs::path newestResults(const fs::path& folder) {
    std::vector<fs::path> found;
    for (fs::recursive_directory_iterator entry(folder), end; entry != end; ++entry) {
        const std::string name = entry->path().filename().string();
        if (entry.depth() <= 1 && entry->is_regular_file() && name.starts_with("results") &&
            name.ends_with(".json")) {
            found.push_back(entry->path());
        }
    }
    if (found.empty()) {
        throw Error("lm-eval wrote no results here", folder.string(),
                    "it ended before its last step; see its output");
    }
    return *std::max_element(found.begin(), found.end(), [](const fs::path& a, const fs::path& b) {
        return a.filename() < b.filename();
    });
}

std::vector<fs::path> samplesBeside(const fs::path& results) {
    const std::string name = results.stem().string();
    const std::size_t stamp = name.find('_');
    std::vector<fs::path> samples;
    for (const auto& entry : fs::directory_iterator(fs::absolute(results).parent_path())) {
        const std::string other = entry.path().filename().string();
        if (stamp != std::string::npos && other.starts_with("samples_") &&
            other.ends_with(name.substr(stamp) + ".jsonl")) {
            samples.push_back(entry.path());
        }
    }
    std::sort(samples.begin(), samples.end());
    return samples;
}

json orNull(double value) { return std::isfinite(value) ? json(value) : json(); }

json tasksJson(const std::vector<TaskResultRow>& results) {
    json tasks = json::array();
    for (const TaskResultRow& row : results) {
        if (tasks.empty() || tasks.back()["task"] != row.task) {
            tasks.push_back({{"task", row.task},
                             {"version", row.version},
                             {"shots", row.shots},
                             {"samples", row.samples},
                             {"data_sha256", row.dataSha256},
                             {"metrics", json::array()}});
        }
        tasks.back()["metrics"].push_back({{"metric", row.metric},
                                           {"filter", row.filter},
                                           {"value", orNull(row.value)},
                                           {"stderr", orNull(row.standardError)},
                                           {"higher_is_better", row.higherIsBetter}});
    }
    return tasks;
}

// What makes two evaluations the same question.
std::string questionHash(const TaskEvaluation& evaluation) {
    std::set<std::string> questions;
    for (const TaskResultRow& row : evaluation.results) {
        questions.insert(fmt::format("{}\n{}\n{}\n{}\n{}", row.task, row.version, row.shots,
                                     row.samples, row.dataSha256));
    }
    return sha256OfString(fmt::format("{}", fmt::join(questions, "\n\n"))).substr(0, 12);
}

void removeAllBut(const std::set<std::string>& names, const fs::path& folder) {
    std::vector<fs::path> others;
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (!names.contains(entry.path().filename().string())) {
            others.push_back(entry.path());
        }
    }
    for (const fs::path& path : others) {
        fs::remove_all(path);
    }
}

}  // namespace

std::string versionAtLength(const std::string& version, std::int64_t maxLength) {
    const std::string plain = version.substr(0, version.find(kOfLength));
    return maxLength == kUsualMaxLength ? plain : plain + kOfLength + std::to_string(maxLength);
}

std::int64_t lengthOf(const std::string& version) {
    const std::size_t at = version.find(kOfLength);
    if (at == std::string::npos) {
        return kUsualMaxLength;
    }
    std::int64_t length = 0;
    std::from_chars(version.data() + at + std::string_view(kOfLength).size(),
                    version.data() + version.size(), length);
    return length;
}

bool isOfLength(const std::string& version, std::int64_t maxLength) {
    return lengthOf(version) == maxLength;
}

TaskEvaluation readTaskEvaluation(const fs::path& fileOrFolder) {
    std::error_code failed;
    if (!fs::exists(fileOrFolder, failed)) {
        throw Error("does not exist", fileOrFolder.string(), "give a results file or its folder");
    }
    TaskEvaluation evaluation;
    evaluation.source = fs::is_directory(fileOrFolder) ? newestResults(fileOrFolder) : fileOrFolder;
    const std::string where = evaluation.source.string();
    const json file = parseTolerantJson(readTextFile(evaluation.source), evaluation.source);
    if (!at(file, "results").is_object() || at(file, "results").empty()) {
        throw Error("is not a results file of lm-eval", where, "it has no \"results\"");
    }
    try {
        for (const auto& [task, values] : file.at("results").items()) {
            if (values.is_object()) {
                const auto rows = resultsOf(file, task);
                evaluation.results.insert(evaluation.results.end(), rows.begin(), rows.end());
            }
        }
        const json& config = at(file, "config");
        const json& arguments = at(config, "model_args");
        const std::int64_t maxLength = maxLengthIn(arguments);
        for (TaskResultRow& row : evaluation.results) {
            row.version = versionAtLength(row.version, maxLength);
        }
        const json& name = at(file, "model_name");
        evaluation.model = name.is_string()        ? name.get<std::string>()
                           : arguments.is_object() ? textOf(at(arguments, "model"))
                                                   : textOf(arguments);
        evaluation.chatTemplate = isOfChat(file) ? "unknown" : "";
        evaluation.lmEvalVersion = textOf(at(file, "lm_eval_version"));
        const double limit = lmEvalNumber(at(config, "limit"));
        evaluation.limit = std::isnan(limit) ? 0 : limit;
        evaluation.seconds = lmEvalNumber(at(file, "total_evaluation_time_seconds"));
        const double date = lmEvalNumber(at(file, "date"));
        evaluation.created =
            std::isfinite(date) ? utcTimestamp(static_cast<std::time_t>(date)) : std::string();
    } catch (const json::exception& error) {
        throw Error(fmt::format("a field has the wrong type: {}", error.what()), where, kHint);
    }
    if (evaluation.results.empty()) {
        throw Error("contains tasks, but no numbers", where, kHint);
    }
    evaluation.samples = samplesBeside(evaluation.source);
    return evaluation;
}

fs::path recordTaskEvaluation(const fs::path& run, const TaskEvaluation& evaluation) {
    const std::string name = "lm-eval-" + questionHash(evaluation);
    const fs::path folder = run / "evaluations" / name;
    fs::create_directories(folder);
    removeAbandoned(folder);
    std::set<std::string> written{"results.json"};
    writeFileAtomically(folder / "results.json", readTextFile(evaluation.source));
    json samples = json::array();
    for (const fs::path& file : evaluation.samples) {
        const std::string plain = file.filename().string();
        const std::string task = plain.substr(0, plain.rfind('_')) + ".jsonl";
        writeFileAtomically(folder / task, readTextFile(file));
        samples.push_back(task);
        written.insert(task);
    }
    const json object{
        {"kind", "lm-eval"},
        {"created", evaluation.created},
        {"lm_eval_version", evaluation.lmEvalVersion},
        {"model", evaluation.model},
        {"chat_template", evaluation.chatTemplate.empty() ? json() : json(evaluation.chatTemplate)},
        {"limit", evaluation.limit > 0 ? json(evaluation.limit) : json()},
        {"seconds", orNull(evaluation.seconds)},
        {"samples", samples},
        {"tasks", tasksJson(evaluation.results)}};
    fs::path path = run / "evaluations" / (name + ".json");
    writeFileAtomically(path, object.dump(1) + "\n");
    removeAllBut(written, folder);  // what an earlier answer had more
    return path;
}

std::optional<TaskEvaluation> recordedTaskEvaluation(const fs::path& run,
                                                     const TaskEvaluation& question) {
    const fs::path folder = run / "evaluations" / ("lm-eval-" + questionHash(question));
    const fs::path results = folder / "results.json";
    if (!fs::exists(fs::path(folder.string() + ".json")) || !fs::exists(results)) {
        return std::nullopt;
    }
    TaskEvaluation evaluation = readTaskEvaluation(results);
    for (TaskResultRow& row : evaluation.results) {
        for (const TaskResultRow& asked : question.results) {
            if (row.task == asked.task) {
                row.version = asked.version;
                row.dataSha256 = asked.dataSha256;
            }
        }
    }
    return evaluation;
}

fs::path writeExternalRun(const fs::path& runs, const TaskEvaluation& evaluation,
                          const ExternalModel& external) {
    const std::string created = evaluation.created.empty() ? utcTimestamp() : evaluation.created;
    std::string day = created.substr(0, 10);
    std::erase(day, '-');
    json specification{{"model", external.model.empty() ? evaluation.model : external.model},
                       {"method", kExternalMethod}};
    if (!external.modelSha256.empty()) {
        specification["model_sha256"] = external.modelSha256;
    }
    std::string source = readTextFile(evaluation.source);
    if (external.stated) {
        validate(*external.stated);
        specification["stated"] = toJson(*external.stated);
        if (const auto ratio = external.stated->ratio()) {
            specification["cr"] = *ratio;  // where tables look for it
        }
        source += specification.dump();
    }
    const std::string id = fmt::format("{}-external-{}", day, sha256OfString(source).substr(0, 8));
    fs::path run = runs / id;
    fs::create_directories(run);
    const json document{
        {"format", 1},
        {"id", id},
        {"created", created},
        {"specification", specification},
        {"environment",
         {{"version", COSPADI_VERSION}, {"lm_eval_version", evaluation.lmEvalVersion}}}};
    writeFileAtomically(run / "run.json", document.dump(1) + "\n");
    recordTaskEvaluation(run, evaluation);
    writeFileAtomically(run / "result.json",
                        json{{"status", "finished"}, {"matrices", json::array()}}.dump(1) + "\n");
    return run;
}

}  // namespace cospadi
