#include "core/lm_eval/local_tasks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/sha256.h"
#include "core/lm_eval/listed_tasks.h"
#include "core/lm_eval/task_overlay.h"
#include "core/tasks/task_records.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// Where lm-eval defines a task, and the split that it scores.
struct Definition {
    const char* file;
    const char* split;
};

const Definition& definitionOf(const std::string& task) {
    static const std::map<std::string, Definition> definitions = {
        {"piqa", {"piqa/piqa.yaml", "validation"}},
        {"hellaswag", {"hellaswag/hellaswag.yaml", "validation"}},
        {"lambada_openai", {"lambada/lambada_openai.yaml", "test"}},
        {"arc_easy", {"arc/arc_easy.yaml", "test"}},
        {"arc_challenge", {"arc/arc_challenge.yaml", "test"}},
        {"sciq", {"sciq/sciq.yaml", "test"}},
        {"race", {"race/race.yaml", "test"}},
        {"winogrande", {"winogrande/default.yaml", "validation"}},
        {"boolq", {"super_glue/boolq/default.yaml", "validation"}},
        {"openbookqa", {"openbookqa/openbookqa.yaml", "test"}},
        {"copa", {"super_glue/copa/default.yaml", "validation"}},
        {"wikitext", {"wikitext/wikitext.yaml", "test"}}};
    return definitions.at(task);
}

void addTask(const KnownTask& task, const fs::path& file, const TaskOverlay& overlay) {
    const Definition& definition = definitionOf(task.name);
    std::vector<json> records = readRecords(file);
    json changes = json::object();
    // OLMES' form of HellaSwag: the texts are cleaned already.
    if (task.name == "hellaswag" && hasFields(records.front(), {"query", "choices", "gold"})) {
        changes = {{"process_docs", nullptr}, {"doc_to_target", "{{gold}}"}};
    } else {
        requireFields(records, task.fields, file);
    }
    fs::path used = fs::absolute(file);
    const bool isProblemList = task.name == "race" && records.front().at("problems").is_array();
    if (isProblemList) {
        // The original holds the list as text, which lm-eval evaluates.
        for (json& record : records) {
            record["problems"] = record["problems"].dump();
        }
    }
    if (isProblemList || file.extension() == ".json") {
        used = overlay.folder() / task.file;
        writeJsonLines(used, records);
    }
    overlay.add(task.name, definition.file, {{definition.split, used.string()}}, changes);
}

// One task a subject; the few-shot examples of a subject in mmlu_dev.jsonl.
std::vector<std::string> addMmlu(const fs::path& data, const TaskOverlay& overlay) {
    std::map<std::string, std::map<std::string, std::vector<json>>> subjects;
    for (const auto& [split, name] :
         {std::pair("test", kMmluFile), std::pair("dev", kMmluExamples)}) {
        const fs::path file = findRecords(data, name);
        if (file.empty()) {
            continue;
        }
        for (const json& record : readRecords(file)) {
            subjects[mmluSubject(record, file)][split].push_back(record);
        }
    }
    std::vector<std::string> names;
    for (const auto& [subject, splits] : subjects) {
        const bool isWord = std::all_of(subject.begin(), subject.end(),
                                        [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; });
        if (!splits.contains("test") || !isWord) {
            continue;
        }
        const std::string task = "mmlu_" + subject;
        json files = json::object();
        for (const auto& [split, records] : splits) {
            const fs::path file = overlay.folder() / fmt::format("{}_{}.jsonl", task, split);
            writeJsonLines(file, records);
            files[split] = file.string();
        }
        const json changes =
            splits.contains("dev") ? json::object() : json{{"fewshot_split", "test"}};
        overlay.add(task, "mmlu/default/" + task + ".yaml", files, changes);
        names.push_back(task);
    }
    return names;
}

}  // namespace

std::vector<LocalTask> writeLocalTasks(const fs::path& data, const fs::path& installedTasks,
                                       const fs::path& folder, std::int64_t shots) {
    fs::create_directories(folder);
    const TaskOverlay overlay(installedTasks, folder);
    std::vector<LocalTask> found;
    std::string files;
    for (const KnownTask& task : knownTasks()) {
        files += task.file + ", ";
        if (const fs::path file = findRecords(data, task.file); !file.empty()) {
            addTask(task, file, overlay);
            found.push_back({task.name, fs::absolute(file), sha256OfFile(file)});
        }
    }
    if (const fs::path file = findRecords(data, kMmluFile); !file.empty()) {
        const std::string hash = mmluDataSha256(file, shots);
        for (const std::string& name : addMmlu(data, overlay)) {
            found.push_back({name, fs::absolute(file), hash});
        }
    }
    for (LocalTask& task : addListedTasks(data, installedTasks, overlay)) {
        found.push_back(std::move(task));
    }
    if (found.empty()) {
        throw Error("contains none of the known files", data.string(),
                    "known files: " + files + kMmluFile + ", " + namesOfListedData());
    }
    return found;
}

}  // namespace cospadi
