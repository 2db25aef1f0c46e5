#include "core/tasks/task_items.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <stdexcept>

#include "core/base/error.h"
#include "core/base/sha256.h"
#include "core/tasks/task_prompts.h"
#include "core/tasks/task_records.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kMmluPrefix = "mmlu_";

std::size_t itemsWithin(double limit, std::size_t count) {
    if (limit <= 0) {
        return count;
    }
    const double items = limit < 1 ? std::ceil(limit * static_cast<double>(count)) : limit;
    return std::min(count, static_cast<std::size_t>(items));
}

// Says which record a field of the wrong type, or an impossible answer, belongs to.
TaskItem itemOf(const json& record, std::size_t number, const fs::path& file,
                const std::function<TaskItem(const json&)>& make) {
    const auto refuse = [&](const std::string& why) {
        throw Error(fmt::format("record {}: {}", number, why), file.string(),
                    "docs/formats.md lists the fields of every task");
    };
    try {
        return make(record);
    } catch (const json::exception& error) {
        refuse(error.what());
    } catch (const std::out_of_range& error) {
        refuse(error.what());
    } catch (const std::invalid_argument&) {
        refuse("its label is not a number");
    }
    return {};
}

fs::path fileOf(const TaskSelection& selection, const std::string& file, const std::string& task) {
    const std::vector<fs::path> named = {selection.data};
    const std::vector<fs::path>& places = selection.data.empty() ? selection.otherwise : named;
    for (const fs::path& place : places) {
        if (fs::path path = findRecords(place, file); !path.empty()) {
            return path;
        }
    }
    throw Error(
        fmt::format("the data of {} is missing", task),
        selection.data.empty() ? file : (selection.data / file).string(),
        fmt::format(
            "fetch it with `cospadi data fetch {}`, or give its folder by --data (docs/formats.md)",
            file == kMmluFile ? kMmlu : task));
}

Task readKnown(const KnownTask& known, const TaskSelection& selection) {
    const fs::path file = fileOf(selection, known.file, known.name);
    const std::vector<json> records = readRecords(file);
    const TaskPrompt prompt = promptOf(known.name);
    std::function<TaskItem(const json&)> make = prompt.itemOf;
    if (known.name == "hellaswag" && hasFields(records.front(), {"query", "choices", "gold"})) {
        make = hellaSwagCleaned;
    } else {
        requireFields(records, known.fields, file);
    }
    if (selection.shots != 0) {
        throw Error(fmt::format("{} has no examples for its prompts here", known.name),
                    "--num-fewshot", "omit it, or use `cospadi lm-eval`");
    }
    Task task{known.name,           known.version,      0,    prompt.form,
              prompt.hasLengthNorm, sha256OfFile(file), file, {}};
    const std::size_t count = itemsWithin(selection.limit, records.size());
    for (std::size_t i = 0; i < count; ++i) {
        task.items.push_back(itemOf(records[i], i + 1, file, make));
    }
    return task;
}

struct NumberedRecord {
    json record;
    std::size_t number = 0;
};
using Subjects = std::map<std::string, std::vector<NumberedRecord>>;

Subjects recordsBySubject(const fs::path& file) {
    Subjects subjects;
    std::size_t number = 0;
    for (json& record : readRecords(file)) {
        const std::string subject = mmluSubject(record, file);
        subjects[subject].push_back({std::move(record), ++number});
    }
    return subjects;
}

// The first examples of the subject with their answers, as lm-eval's sampler first_n takes them.
std::string mmluExamples(const std::vector<NumberedRecord>& examples, const std::string& subject,
                         std::int64_t shots, const fs::path& file) {
    if (static_cast<std::int64_t>(examples.size()) < shots) {
        throw Error(fmt::format("{} examples of {} are requested, but there are {}", shots, subject,
                                examples.size()),
                    file.string(), "use fewer with --num-fewshot");
    }
    std::string text;
    for (std::int64_t i = 0; i < shots; ++i) {
        const NumberedRecord& example = examples[static_cast<std::size_t>(i)];
        const TaskItem item = itemOf(example.record, example.number, file, mmluItem);
        text += item.context + item.continuations[static_cast<std::size_t>(item.answer)] + "\n\n";
    }
    return text;
}

std::vector<Task> readMmlu(const std::string& wanted, const TaskSelection& selection) {
    const fs::path file = fileOf(selection, kMmluFile, wanted);
    const std::string hash = mmluDataSha256(file, selection.shots);
    fs::path exampleFile;
    Subjects examples;
    if (selection.shots > 0) {
        TaskSelection beside = selection;  // questions and examples come from one place
        beside.data = file.parent_path();
        exampleFile = fileOf(beside, kMmluExamples, "mmlu");
        examples = recordsBySubject(exampleFile);
    }
    std::vector<Task> tasks;
    for (const auto& [subject, records] : recordsBySubject(file)) {
        const std::string name = kMmluPrefix + subject;
        if (wanted != "mmlu" && wanted != name) {
            continue;
        }
        const std::string before =
            mmluDescription(subject) +
            mmluExamples(examples[subject], subject, selection.shots, exampleFile);
        Task task{name, kMmluVersion, selection.shots, TaskForm::Choice, false, hash, file, {}};
        const std::size_t count = itemsWithin(selection.limit, records.size());
        for (std::size_t i = 0; i < count; ++i) {
            task.items.push_back(itemOf(records[i].record, records[i].number, file, mmluItem));
            task.items.back().context = before + task.items.back().context;
        }
        tasks.push_back(std::move(task));
    }
    if (tasks.empty()) {
        throw Error("the data has no such subject", file.string() + ": " + wanted,
                    "subjects are given by the field \"subject\"");
    }
    return tasks;
}

}  // namespace

std::vector<Task> readTasks(const std::vector<std::string>& names, const TaskSelection& selection) {
    if (names.empty()) {
        throw Error("no task is given", "--tasks",
                    fmt::format("use {}", fmt::join(nativeTaskNames(), ", ")));
    }
    if (!(selection.limit >= 0) || selection.shots < 0) {
        throw Error("is negative", selection.shots < 0 ? "--num-fewshot" : "--limit",
                    "omit it for all items and no examples");
    }
    std::vector<Task> tasks;
    const auto add = [&tasks](Task task) {
        const bool isThere = std::any_of(
            tasks.begin(), tasks.end(), [&](const Task& other) { return other.name == task.name; });
        if (!isThere) {
            tasks.push_back(std::move(task));
        }
    };
    for (const std::string& name : names) {
        if (name == "mmlu" || name.starts_with(kMmluPrefix)) {
            for (Task& subject : readMmlu(name, selection)) {
                add(std::move(subject));
            }
            continue;
        }
        const KnownTask* known = knownTask(name);
        if (known == nullptr) {
            throw Error(fmt::format("there is no built-in task {}", name), "--tasks",
                        fmt::format("use {}; `cospadi lm-eval` runs any other",
                                    fmt::join(nativeTaskNames(), ", ")));
        }
        add(readKnown(*known, selection));
    }
    return tasks;
}

std::vector<std::string> nativeTaskNames() {
    std::vector<std::string> names;
    for (const KnownTask& task : knownTasks()) {
        names.push_back(task.name);
    }
    names.emplace_back("mmlu");
    return names;
}

}  // namespace cospadi
