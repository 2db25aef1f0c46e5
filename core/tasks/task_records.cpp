#include "core/tasks/task_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>

#include "core/base/error.h"
#include "core/base/sha256.h"
#include "core/tasks/mmlu_subjects.h"
#include "core/tensors/bounded_json.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int kMostLevels = 32;

[[noreturn]] void refuse(const std::string& what, const fs::path& file) {
    throw Error(what, file.string(), "docs/formats.md lists the fields of every task");
}

// Deeply nested input would exhaust the stack of a recursive destructor.
json parsed(const std::string& text) {
    return isNestedDeeper(text, kMostLevels) ? json(json::value_t::discarded)
                                             : json::parse(text, nullptr, false);
}

std::vector<json> recordsOf(json document, const fs::path& file) {
    const bool hasRows = document.is_object() && document.contains("rows");
    json list = hasRows ? document["rows"] : std::move(document);
    if (!list.is_array()) {
        refuse("is neither a list of records nor an object with \"rows\"", file);
    }
    std::vector<json> records;
    for (json& entry : list) {
        const bool isWrapped = hasRows && entry.is_object() && entry.contains("row");
        records.push_back(isWrapped ? entry["row"] : std::move(entry));
        if (!records.back().is_object()) {
            refuse(fmt::format("record {} is not a JSON object", records.size()), file);
        }
    }
    return records;
}

std::vector<json> linesOf(std::istream& stream, const fs::path& file) {
    std::vector<json> records;
    std::int64_t number = 0;
    for (std::string line; std::getline(stream, line);) {
        ++number;
        if (line.find_first_not_of(" \t\r") == std::string::npos) {
            continue;
        }
        json record = parsed(line);
        if (!record.is_object()) {
            refuse(fmt::format("line {} is not a JSON object", number), file);
        }
        records.push_back(std::move(record));
    }
    return records;
}

}  // namespace

const std::vector<KnownTask>& knownTasks() {
    static const std::vector<KnownTask> tasks = {
        {"piqa", "piqa.jsonl", {"goal", "sol1", "sol2", "label"}, "1.0"},
        {"hellaswag",
         "hellaswag.jsonl",
         {"ctx_a", "ctx_b", "activity_label", "endings", "label"},
         "1.0"},
        {"lambada_openai", "lambada_openai.jsonl", {"text"}, "1.0"},
        {"arc_easy", "arc_easy.jsonl", {"question", "choices", "answerKey"}, "1.0"},
        {"arc_challenge", "arc_challenge.jsonl", {"question", "choices", "answerKey"}, "1.0"},
        {"sciq",
         "sciq.jsonl",
         {"support", "question", "correct_answer", "distractor1", "distractor2", "distractor3"},
         "1.0"},
        {"race", "race_high.jsonl", {"article", "problems"}, "3.0"},
        {"winogrande", "winogrande.jsonl", {"sentence", "option1", "option2", "answer"}, "1.0"},
        {"boolq", "boolq.jsonl", {"passage", "question", "label"}, "2.0"},
        {"openbookqa", "openbookqa.jsonl", {"question_stem", "choices", "answerKey"}, "1.0"},
        {"copa", "copa.jsonl", {"premise", "question", "choice1", "choice2", "label"}, "1.0"},
        {"wikitext", "wikitext2_test.jsonl", {"page"}, "2.0"}};
    return tasks;
}

const KnownTask* knownTask(const std::string& name) {
    const auto found = std::find_if(knownTasks().begin(), knownTasks().end(),
                                    [&](const KnownTask& task) { return task.name == name; });
    return found == knownTasks().end() ? nullptr : &*found;
}

fs::path findRecords(const fs::path& folder, const std::string& file) {
    std::error_code ignored;
    for (const fs::path& path : {folder / file, (folder / file).replace_extension(".json")}) {
        if (fs::is_regular_file(path, ignored)) {
            return path;
        }
    }
    return {};
}

std::vector<json> readRecords(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    if (!stream) {
        throw Error("cannot be read", file.string(), "check the name and its permissions");
    }
    std::vector<json> records;
    if (file.extension() == ".json") {
        const std::string text(std::istreambuf_iterator<char>(stream), {});
        json document = parsed(text);
        if (!document.is_discarded()) {
            records = recordsOf(std::move(document), file);
        } else {  // JSON lines under the other name
            std::istringstream lines(text);
            records = linesOf(lines, file);
        }
    } else {
        records = linesOf(stream, file);
    }
    if (records.empty()) {
        refuse("contains no records", file);
    }
    return records;
}

bool hasFields(const json& record, const std::vector<std::string>& fields) {
    return std::all_of(fields.begin(), fields.end(),
                       [&](const std::string& field) { return record.contains(field); });
}

void requireFields(const std::vector<json>& records, const std::vector<std::string>& fields,
                   const fs::path& file) {
    for (std::size_t i = 0; i < records.size(); ++i) {
        for (const std::string& field : fields) {
            if (!records[i].contains(field)) {
                refuse(fmt::format("record {} has no field \"{}\"; required fields are {}", i + 1,
                                   field, fmt::join(fields, ", ")),
                       file);
            }
        }
    }
}

std::string mmluSubject(const json& record, const fs::path& file) {
    requireFields({record}, {"question", "subject", "choices", "answer"}, file);
    const json& subject = record["subject"];
    if (!subject.is_string()) {
        refuse("subject is not a text", file);
    }
    return subject.get<std::string>();
}

bool isMmluSubject(const std::string& task) {
    return std::any_of(kMmluSubjects.begin(), kMmluSubjects.end(), [&](const char* subject) {
        return task == fmt::format("{}_{}", kMmlu, subject);
    });
}

bool isPartOfMmlu(const std::string& task) {
    return task == kMmlu || task == "mmlu_humanities" || task == "mmlu_other" ||
           task == "mmlu_social_sciences" || task == "mmlu_stem" || isMmluSubject(task);
}

std::string mmluDataSha256(const fs::path& file, std::int64_t shots) {
    const std::string questions = sha256OfFile(file);
    const fs::path examples =
        shots > 0 ? findRecords(file.parent_path(), kMmluExamples) : fs::path();
    return examples.empty() ? questions : sha256OfString(questions + sha256OfFile(examples));
}

}  // namespace cospadi
