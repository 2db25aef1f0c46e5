// The data sets of the tasks that are known by name: files of JSON in a folder of the user's, and
// the fields that a task's prompts are made of (docs/formats.md lists both).
//
// JSON lines; or one JSON document: a list of records, or the "rows" of Hugging Face's data server.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace cospadi {

struct KnownTask {
    std::string name;                 // lm-eval's
    std::string file;                 // in the folder
    std::vector<std::string> fields;  // of every record
    std::string version;              // of lm-eval's definition whose prompts are made here
};

// All but mmlu, which has one task a subject: mmlu_SUBJECT.
const std::vector<KnownTask>& knownTasks();
const KnownTask* knownTask(const std::string& name);  // null where there is none

inline constexpr const char* kMmluFile = "mmlu.jsonl";
inline constexpr const char* kMmluExamples = "mmlu_dev.jsonl";
inline constexpr const char* kMmluVersion = "1.0";
inline constexpr const char* kMmlu = "mmlu";  // the group of all subjects
// mmlu_SUBJECT; and these, the group and lm-eval's four groups of subjects. Other tasks whose names
// begin alike, such as mmlu_pro, have data of their own.
bool isMmluSubject(const std::string& task);
bool isPartOfMmlu(const std::string& task);

// DIR/file, or the same name ending in .json; empty where neither is there.
std::filesystem::path findRecords(const std::filesystem::path& folder, const std::string& file);

// Throws Error naming the file, and the record with its first missing field.
std::vector<nlohmann::json> readRecords(const std::filesystem::path& file);
bool hasFields(const nlohmann::json& record, const std::vector<std::string>& fields);
void requireFields(const std::vector<nlohmann::json>& records,
                   const std::vector<std::string>& fields, const std::filesystem::path& file);

// Of mmlu: by what evaluations are told apart, the hash of the questions' file, and with examples
// in the prompt that of theirs beside it as well.
std::string mmluDataSha256(const std::filesystem::path& file, std::int64_t shots);
// Of mmlu: which subject a record belongs to. Throws Error for a record without its fields.
std::string mmluSubject(const nlohmann::json& record, const std::filesystem::path& file);

}  // namespace cospadi
