// `evaluate`, `evaluate_tasks` and `fetch_data` of the engine: what a model or run is measured by,
// as jobs of it, by the code of the commands. What they send meanwhile stands in docs/formats.md,
// "The engine". Each throws Error "cancelled" where the job was stopped, and as the function of
// core that does the work.
#pragma once

#include <nlohmann/json.hpp>

#include "app/cli/engine_jobs.h"
#include "core/linalg/compute_device.h"
#include "core/lm_eval/native_evaluation.h"
#include "core/lm_eval/task_data.h"
#include "core/run/evaluate_run.h"

namespace cospadi::cli {

// Of a request's parameters. Throw a json exception or Error where these are wrong.
EvaluationRequest evaluationAsked(const nlohmann::json& params, const ComputeDevice& device);
NativeRequest tasksAsked(const nlohmann::json& params, const ComputeDevice& device);
FetchOptions fetchAsked(const nlohmann::json& params);

// The results of the requests.
nlohmann::json evaluateAsJob(const EvaluationRequest& asked, EngineJob& job, const SendEvent& send);
nlohmann::json evaluateTasksAsJob(const NativeRequest& asked, EngineJob& job,
                                  const SendEvent& send);
nlohmann::json fetchAsJob(const FetchOptions& asked, EngineJob& job, const SendEvent& send);

}  // namespace cospadi::cli
