// From one record of a data set to the item that lm-eval 0.4.13 makes of it, task by task. Internal
// to task_items.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/tasks/task_items.h"

namespace cospadi {

struct TaskPrompt {
    TaskForm form = TaskForm::Choice;
    bool hasLengthNorm = false;
    TaskItem (*itemOf)(const nlohmann::json& record) = nullptr;
};

// Throws nlohmann::json::exception for a field of the wrong type, and std::out_of_range for an
// answer that is none of the choices. name: of knownTasks().
TaskPrompt promptOf(const std::string& name);

TaskItem hellaSwagCleaned(const nlohmann::json& record);  // OLMES' form: query, choices, gold

// The question with its choices and "Answer:"; the letters are what is scored.
TaskItem mmluItem(const nlohmann::json& record);
std::string mmluDescription(const std::string& subject);

}  // namespace cospadi
