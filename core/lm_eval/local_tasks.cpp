#include "core/lm_eval/local_tasks.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/sha256.h"
#include "core/tensors/atomic_file.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct KnownTask {
    std::string name;
    std::string file;                 // in the user's folder
    std::string definition;           // in lm_eval/tasks
    std::string split;                // that lm-eval scores
    std::vector<std::string> fields;  // that its prompts are made of
};

const std::vector<KnownTask>& knownTasks() {
    static const std::vector<KnownTask> tasks = {
        {"piqa", "piqa.jsonl", "piqa/piqa.yaml", "validation", {"goal", "sol1", "sol2", "label"}},
        {"hellaswag",
         "hellaswag.jsonl",
         "hellaswag/hellaswag.yaml",
         "validation",
         {"ctx_a", "ctx_b", "activity_label", "endings", "label"}},
        {"lambada_openai", "lambada_openai.jsonl", "lambada/lambada_openai.yaml", "test", {"text"}},
        {"arc_easy",
         "arc_easy.jsonl",
         "arc/arc_easy.yaml",
         "test",
         {"question", "choices", "answerKey"}},
        {"arc_challenge",
         "arc_challenge.jsonl",
         "arc/arc_challenge.yaml",
         "test",
         {"question", "choices", "answerKey"}},
        {"sciq",
         "sciq.jsonl",
         "sciq/sciq.yaml",
         "test",
         {"support", "question", "correct_answer", "distractor1", "distractor2", "distractor3"}},
        {"race", "race_high.jsonl", "race/race.yaml", "test", {"article", "problems"}},
        {"wikitext", "wikitext2_test.jsonl", "wikitext/wikitext.yaml", "test", {"page"}}};
    return tasks;
}

[[noreturn]] void refuse(const std::string& what, const fs::path& file) {
    throw Error(what, file.string(), "docs/formats.md lists the fields of every task");
}

std::vector<json> readLines(const fs::path& file) {
    std::ifstream stream(file);
    std::vector<json> records;
    for (std::string line; std::getline(stream, line);) {
        if (line.empty()) {
            continue;
        }
        json record = json::parse(line, nullptr, false);
        if (!record.is_object()) {
            refuse(fmt::format("line {} is not a JSON object", records.size() + 1), file);
        }
        records.push_back(std::move(record));
    }
    if (records.empty()) {
        refuse("holds no records", file);
    }
    return records;
}

bool hasFields(const std::vector<json>& records, const std::vector<std::string>& fields) {
    return std::all_of(records.begin(), records.end(), [&](const json& record) {
        return std::all_of(fields.begin(), fields.end(),
                           [&](const std::string& field) { return record.contains(field); });
    });
}

void writeLines(const fs::path& file, const std::vector<json>& records) {
    std::string text;
    for (const json& record : records) {
        text += record.dump() + "\n";
    }
    writeFileAtomically(file, text);
}

class Overlay {
  public:
    Overlay(const fs::path& installed, fs::path folder)
        : m_installed(installed), m_folder(std::move(folder)) {}

    // JSON is YAML, without its traps about quoting.
    void add(const std::string& name, const std::string& definition, const json& files,
             const json& changes) const {
        const fs::path included = m_installed / definition;
        if (!fs::exists(included)) {
            throw Error("lm-eval has no such definition", included.string(),
                        "remove the environment; it will be made again");
        }
        json task{{"include", included.string()},
                  {"task", name},
                  {"dataset_path", "json"},
                  {"dataset_name", nullptr},
                  {"dataset_kwargs", {{"data_files", files}}},
                  {"training_split", nullptr},
                  {"validation_split", nullptr},
                  {"test_split", nullptr}};
        for (const auto& [split, file] : files.items()) {
            if (split != "dev") {
                task[split + "_split"] = split;
            }
        }
        task.update(changes);
        writeFileAtomically(m_folder / (name + ".yaml"), task.dump(1) + "\n");
    }

    const fs::path& folder() const { return m_folder; }

  private:
    fs::path m_installed;
    fs::path m_folder;
};

void addTask(const KnownTask& task, const fs::path& file, const Overlay& overlay) {
    const std::vector<json> records = readLines(file);
    json changes = json::object();
    fs::path used = fs::absolute(file);
    if (!hasFields(records, task.fields)) {
        // OLMES' form of HellaSwag: the texts are cleaned already.
        if (task.name != "hellaswag" || !hasFields(records, {"query", "choices", "gold"})) {
            refuse(fmt::format("has not the fields of {}: {}", task.name,
                               fmt::join(task.fields, ", ")),
                   file);
        }
        changes = {{"process_docs", nullptr}, {"doc_to_target", "{{gold}}"}};
    }
    if (task.name == "race" && records.front().at("problems").is_array()) {
        // The original holds the list as text, which lm-eval evaluates.
        std::vector<json> asText = records;
        for (json& record : asText) {
            record["problems"] = record["problems"].dump();
        }
        used = overlay.folder() / "race.jsonl";
        writeLines(used, asText);
    }
    overlay.add(task.name, task.definition, {{task.split, used.string()}}, changes);
}

// One task a subject; the few-shot examples of a subject in mmlu_dev.jsonl.
std::vector<std::string> addMmlu(const fs::path& data, const Overlay& overlay) {
    std::map<std::string, std::map<std::string, std::vector<json>>> subjects;
    for (const auto& [split, name] : {std::pair("test", "mmlu.jsonl"), {"dev", "mmlu_dev.jsonl"}}) {
        if (!fs::exists(data / name)) {
            continue;
        }
        const std::vector<json> records = readLines(data / name);
        if (!hasFields(records, {"question", "subject", "choices", "answer"})) {
            refuse("has not the fields of mmlu: question, subject, choices, answer", data / name);
        }
        for (const json& record : records) {
            if (!record["subject"].is_string()) {
                refuse("subject is not a text", data / name);
            }
            subjects[record["subject"].get<std::string>()][split].push_back(record);
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
            writeLines(file, records);
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
                                       const fs::path& folder) {
    fs::create_directories(folder);
    const Overlay overlay(installedTasks, folder);
    std::vector<LocalTask> found;
    std::string files;
    for (const KnownTask& task : knownTasks()) {
        files += task.file + ", ";
        const fs::path file = data / task.file;
        if (fs::exists(file)) {
            addTask(task, file, overlay);
            found.push_back({task.name, fs::absolute(file), sha256OfFile(file)});
        }
    }
    if (const fs::path file = data / "mmlu.jsonl"; fs::exists(file)) {
        const std::string hash = sha256OfFile(file);
        for (const std::string& name : addMmlu(data, overlay)) {
            found.push_back({name, fs::absolute(file), hash});
        }
    }
    if (found.empty()) {
        throw Error("holds none of the files that are known", data.string(),
                    "known are: " + files + "mmlu.jsonl");
    }
    return found;
}

}  // namespace cospadi
