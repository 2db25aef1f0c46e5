// Tasks as commands take their names, and results of them as `lm-eval` and `evaluate --tasks` print
// them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/lm_eval/task_evaluation.h"

namespace cospadi::cli {

nlohmann::json taskEvaluationJson(const TaskEvaluation& evaluation);
std::string taskEvaluationTable(const TaskEvaluation& evaluation);

// For --limit: a whole number of items, or a share below 1. Empty where the text is one of these,
// else what is wrong with it.
std::string limitProblem(const std::string& text);

// Throws UsageError for one that is not asked natively. Known without a look at any data.
void requireKnownTasks(const std::vector<std::string>& tasks);

}  // namespace cospadi::cli
