#include "core/lm_eval/listed_tasks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/sha256.h"
#include "core/tasks/task_records.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// Below lm_eval/tasks.
constexpr std::array kFolders = {"ifeval", "bbh",      "minerva_math", "hendrycks_math",
                                 "gpqa",   "mmlu_pro", "leaderboard"};

struct ListedSet {
    const char* dataset;  // as definitions name it
    const char* file;     // {config} and {split} stand for those of the task
    std::vector<std::string> fields;
    const char* examples = nullptr;  // file of the split that few-shot prompts are taken from
};

const std::vector<ListedSet>& listedSets() {
    static const std::vector<std::string> instructions = {"prompt", "instruction_id_list",
                                                          "kwargs"};
    static const std::vector<std::string> problems = {"problem", "level", "solution"};
    static const std::vector<ListedSet> sets = {
        {"google/IFEval", "ifeval.jsonl", instructions},
        {"wis-k/instruction-following-eval", "ifeval.jsonl", instructions},
        {"SaylorTwift/bbh", "bbh_{config}.jsonl", {"input", "target"}},
        {"EleutherAI/hendrycks_math", "math_{config}.jsonl", problems},
        {"DigitalLearningGmbH/MATH-lighteval", "math_{config}.jsonl", problems},
        {"HuggingFaceH4/MATH-500", "math_500.jsonl", problems},
        {"Idavidrein/gpqa",
         "{config}.jsonl",
         {"Question", "Correct Answer", "Incorrect Answer 1", "Incorrect Answer 2",
          "Incorrect Answer 3"}},
        {"TAUR-Lab/MuSR",
         "musr_{split}.jsonl",
         {"narrative", "question", "choices", "answer_choice"}},
        {"TIGER-Lab/MMLU-Pro",
         "mmlu_pro.jsonl",
         {"question", "options", "answer", "category"},
         "mmlu_pro_dev.jsonl"}};
    return sets;
}

using DefinitionFields = std::map<std::string, std::string>;

std::string_view withoutQuotes(std::string_view text) {
    const bool isQuoted = text.size() >= 2 && (text.front() == '"' || text.front() == '\'') &&
                          text.back() == text.front();
    return isQuoted ? text.substr(1, text.size() - 2) : text;
}

std::string_view trimmedLine(std::string_view text) {
    while (!text.empty() && (text.back() == ' ' || text.back() == '\r')) {
        text.remove_suffix(1);
    }
    while (!text.empty() && text.front() == ' ') {
        text.remove_prefix(1);
    }
    return text;
}

// The names of a definition's data, all of them words on a line of the top level; an included file
// has what the file itself has not.
DefinitionFields readDefinition(const fs::path& file, int depth = 0) {
    DefinitionFields fields;
    std::ifstream stream(file);
    for (std::string line; std::getline(stream, line);) {
        const std::size_t colon = line.find(':');
        if (colon == std::string::npos || line.front() == ' ' || line.front() == '#') {
            continue;
        }
        std::string_view value = trimmedLine(std::string_view(line).substr(colon + 1));
        value = trimmedLine(value.substr(0, value.find(" #")));
        const std::string name(withoutQuotes(std::string_view(line).substr(0, colon)));
        const std::string word(value == "null" ? std::string_view() : withoutQuotes(value));
        fields.emplace(name, word);
    }
    if (const auto base = fields.find("include"); base != fields.end() && depth < 8) {
        for (const auto& [name, value] :
             readDefinition(file.parent_path() / base->second, depth + 1)) {
            fields.emplace(name, value);
        }
    }
    return fields;
}

std::string valueOf(const DefinitionFields& definition, const char* name) {
    const auto found = definition.find(name);
    return found == definition.end() ? std::string() : found->second;
}

std::string filled(std::string pattern, const std::string& config, const std::string& split) {
    for (const auto& [hole, value] : {std::pair("{config}", config), {"{split}", split}}) {
        if (const std::size_t at = pattern.find(hole); at != std::string::npos) {
            pattern.replace(at, std::string_view(hole).size(), value);
        }
    }
    return pattern;
}

// The file itself, or its records as JSON lines beside the definitions.
fs::path asLines(const fs::path& file, const std::vector<std::string>& fields,
                 const TaskOverlay& overlay) {
    const std::vector<json> records = readRecords(file);
    requireFields(records, fields, file);
    if (file.extension() != ".json") {
        return fs::absolute(file);
    }
    const fs::path lines = overlay.folder() / (file.stem().string() + ".jsonl");
    writeJsonLines(lines, records);
    return lines;
}

}  // namespace

std::vector<LocalTask> addListedTasks(const fs::path& data, const fs::path& installedTasks,
                                      const TaskOverlay& overlay) {
    std::vector<LocalTask> found;
    std::map<fs::path, std::pair<fs::path, std::string>> read;  // file → lines, sha256
    const auto linesOf = [&](const fs::path& file, const std::vector<std::string>& fields) {
        const auto known = read.find(file);
        return known != read.end() ? known->second
                                   : read.emplace(file, std::pair(asLines(file, fields, overlay),
                                                                  sha256OfFile(file)))
                                         .first->second;
    };
    const auto addDefinition = [&](const fs::path& path) {
        const DefinitionFields definition = readDefinition(path);
        const std::string task = valueOf(definition, "task");
        const std::string dataset = valueOf(definition, "dataset_path");
        const auto& sets = listedSets();
        const auto set = std::find_if(sets.begin(), sets.end(),
                                      [&](const ListedSet& one) { return dataset == one.dataset; });
        if (task.empty() || set == sets.end()) {
            return;
        }
        const std::string test = valueOf(definition, "test_split");
        const std::string split = test.empty() ? valueOf(definition, "validation_split") : test;
        const fs::path file =
            findRecords(data, filled(set->file, valueOf(definition, "dataset_name"), split));
        if (split.empty() || file.empty()) {
            return;
        }
        const auto [lines, hash] = linesOf(file, set->fields);
        json files{{split, lines.string()}};
        json changes{{"test_split", test.empty() ? json() : json(split)},
                     {"validation_split", test.empty() ? json(split) : json()}};
        if (valueOf(definition, "training_split") == split) {
            changes["training_split"] = split;  // examples come from the items themselves
        }
        if (set->examples != nullptr) {
            const fs::path examples = findRecords(data, set->examples);
            if (examples.empty()) {
                throw Error(
                    fmt::format("has no {}, from which {} takes its examples", set->examples, task),
                    data.string(), "docs/formats.md lists the files of every task");
            }
            files[valueOf(definition, "fewshot_split")] =
                linesOf(examples, set->fields).first.string();
        }
        overlay.add(task, fs::relative(path, installedTasks).string(), files, changes);
        found.push_back({task, fs::absolute(file), hash});
    };
    for (const char* folder : kFolders) {
        std::error_code failed;
        std::vector<fs::path> definitions;
        for (fs::recursive_directory_iterator entry(installedTasks / folder, failed), end;
             !failed && entry != end; entry.increment(failed)) {
            if (entry->path().extension() == ".yaml") {
                definitions.push_back(entry->path());
            }
        }
        std::sort(definitions.begin(), definitions.end());
        std::for_each(definitions.begin(), definitions.end(), addDefinition);
    }
    return found;
}

std::string namesOfListedData() {
    std::vector<std::string> names;
    for (const ListedSet& set : listedSets()) {
        const std::string name = set.file == std::string("{config}.jsonl")
                                     ? "gpqa_NAME.jsonl"
                                     : filled(set.file, "NAME", "NAME");
        if (std::find(names.begin(), names.end(), name) == names.end()) {
            names.push_back(name);
        }
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

std::set<std::string> hashesOfListedData(const fs::path& data) {
    constexpr std::array kBeginnings = {"ifeval", "bbh_", "math_", "gpqa_", "musr_", "mmlu_pro"};
    std::set<std::string> hashes;
    std::error_code failed;
    for (fs::directory_iterator entry(data, failed), end; !failed && entry != end;
         entry.increment(failed)) {
        const std::string name = entry->path().filename().string();
        const bool isListed =
            std::any_of(kBeginnings.begin(), kBeginnings.end(),
                        [&](const char* beginning) { return name.starts_with(beginning); });
        if (isListed && entry->is_regular_file()) {
            hashes.insert(sha256OfFile(entry->path()));
        }
    }
    return hashes;
}

}  // namespace cospadi
