#include "ui/sources/task_data.h"

#include <QMap>
#include <algorithm>
#include <filesystem>
#include <vector>

#include "core/lm_eval/task_data.h"
#include "core/tasks/task_items.h"
#include "core/tasks/task_records.h"

namespace cospadi::ui {

QList<TaskDescription> describedTasks() {
    const QMap<QString, QString> descriptions = {
        {"piqa", TaskDescription::tr("Everyday physics, two answers. File: piqa.jsonl")},
        {"hellaswag",
         TaskDescription::tr("How a situation continues, four endings. File: hellaswag.jsonl")},
        {"lambada_openai",
         TaskDescription::tr(
             "The last word of a passage: accuracy and perplexity. File: lambada_openai.jsonl")},
        {"arc_easy", TaskDescription::tr("School science, easy. File: arc_easy.jsonl")},
        {"arc_challenge", TaskDescription::tr("School science, hard. File: arc_challenge.jsonl")},
        {"sciq", TaskDescription::tr("Science questions with a supporting text. File: sciq.jsonl")},
        {"race", TaskDescription::tr("Reading comprehension, long texts. File: race_high.jsonl")},
        {"winogrande",
         TaskDescription::tr("Whom a sentence refers to, two names. File: winogrande.jsonl")},
        {"boolq", TaskDescription::tr("Yes or no after a passage. File: boolq.jsonl")},
        {"openbookqa",
         TaskDescription::tr("Elementary science, four answers. File: openbookqa.jsonl")},
        {"copa", TaskDescription::tr("Cause or effect, two answers. File: copa.jsonl")},
        {"wikitext",
         TaskDescription::tr(
             "WikiText-2: word, byte and bits-per-byte perplexity. File: wikitext2_test.jsonl")},
        {"mmlu", TaskDescription::tr(
                     "57 subjects, four answers each; one task per subject. File: mmlu.jsonl")}};
    QList<TaskDescription> tasks;
    for (const std::string& name : nativeTaskNames()) {
        const QString word = QString::fromStdString(name);
        TaskDescription task;
        task.name = word;
        task.description = descriptions.value(word);
        tasks.append(task);
    }
    return tasks;
}

QStringList tasksWithoutData(const QStringList& tasks, const QString& folder) {
    const auto places = folder.isEmpty() ? taskDataPlaces()
                                         : std::vector<std::filesystem::path>{folder.toStdString()};
    QStringList absent;
    for (const QString& name : tasks) {
        const KnownTask* task = knownTask(name.toStdString());
        const std::string file = task != nullptr ? task->file : kMmluFile;
        const bool isThere = std::any_of(places.begin(), places.end(), [&](const auto& place) {
            return !findRecords(place, file).empty();
        });
        if (!isThere) {
            absent << name;
        }
    }
    return absent;
}

}  // namespace cospadi::ui
