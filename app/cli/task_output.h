// Results of tasks as `lm-eval` and `evaluate --tasks` print them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/lm_eval/task_evaluation.h"

namespace cospadi::cli {

nlohmann::json taskEvaluationJson(const TaskEvaluation& evaluation);
std::string taskEvaluationTable(const TaskEvaluation& evaluation);

}  // namespace cospadi::cli
