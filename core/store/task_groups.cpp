#include "core/store/task_groups.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "core/tasks/mmlu_subjects.h"

namespace cospadi {

namespace {

constexpr const char* kGroup = "mmlu";
constexpr const char* kMetricOfGroups = "acc";

using Question = std::tuple<std::string, std::int64_t, std::string, std::string>;
using BySamples = std::map<std::int64_t, const TaskResultRow*>;  // a subject's answers
using Subjects = std::map<std::string, BySamples>;

const std::set<std::string>& subjectTasks() {
    static const std::set<std::string> tasks = [] {
        std::set<std::string> names;
        for (const char* subject : kMmluSubjects) {
            names.insert(std::string(kGroup) + "_" + subject);
        }
        return names;
    }();
    return tasks;
}

TaskResultRow pooled(const std::vector<const TaskResultRow*>& rows) {
    TaskResultRow group = *rows.front();
    double sum = 0;
    double squares = 0;
    group.file.clear();
    group.task = kGroup;
    group.samples = 0;
    for (const TaskResultRow* row : rows) {
        const auto n = static_cast<double>(row->samples);
        sum += n * row->value;
        squares += n * (n - 1) * row->standardError * row->standardError;
        group.samples += row->samples;
        group.created = std::max(group.created, row->created);
    }
    const auto items = static_cast<double>(group.samples);
    const auto tasks = static_cast<double>(rows.size());
    group.value = sum / items;
    group.standardError = std::sqrt(squares / (items - tasks) / items);
    return group;
}

// One of each subject, or nothing where `choose` finds none of some subject.
template <class Choose>
void addPooled(const Subjects& subjects, const Choose& choose, std::vector<TaskResultRow>& groups) {
    std::vector<const TaskResultRow*> rows;
    for (const auto& [task, answers] : subjects) {
        if (const TaskResultRow* row = choose(answers)) {
            rows.push_back(row);
        }
    }
    if (rows.size() != subjectTasks().size()) {
        return;
    }
    TaskResultRow group = pooled(rows);
    const bool isThere = std::any_of(groups.begin(), groups.end(), [&](const TaskResultRow& other) {
        return other.measuresSameAs(group);
    });
    if (!isThere) {
        groups.push_back(std::move(group));
    }
}

void addGroups(const Subjects& subjects, std::vector<TaskResultRow>& groups) {
    const std::size_t answers = subjects.begin()->second.size();
    const bool equallyMany = std::all_of(subjects.begin(), subjects.end(), [&](const auto& one) {
        return one.second.size() == answers;
    });
    if (equallyMany) {
        addPooled(
            subjects, [](const BySamples& all) { return all.rbegin()->second; }, groups);
    }
    for (const auto& [samples, any] : subjects.begin()->second) {
        addPooled(
            subjects,
            [wanted = samples](const BySamples& all) {
                const auto found = all.find(wanted);
                return found == all.end() ? nullptr : found->second;
            },
            groups);
    }
}

}  // namespace

void addTaskGroups(std::vector<TaskResultRow>& results) {
    std::map<Question, Subjects> questions;
    for (const TaskResultRow& row : results) {
        if (row.metric == kMetricOfGroups && row.samples > 0 && std::isfinite(row.value) &&
            subjectTasks().contains(row.task)) {
            questions[{row.version, row.shots, row.filter, row.dataSha256}][row.task][row.samples] =
                &row;
        }
    }
    std::vector<TaskResultRow> groups;
    for (const auto& [question, subjects] : questions) {
        addGroups(subjects, groups);
    }
    if (groups.empty()) {
        return;
    }
    std::erase_if(results, [](const TaskResultRow& row) {
        return row.task == kGroup && row.metric == kMetricOfGroups;
    });
    results.insert(results.end(), groups.begin(), groups.end());
}

}  // namespace cospadi
