#include "app/cli/evaluate_service.h"

#include <memory>
#include <string>
#include <vector>

#include "app/cli/result_json.h"
#include "app/cli/run_command.h"
#include "app/cli/task_output.h"
#include "core/base/resources.h"
#include "core/exports/compressed_model.h"

namespace cospadi::cli {

using nlohmann::json;

namespace {

NativeHooks taskHooks(const std::string& job, const SendEvent& send) {
    NativeHooks hooks;
    const auto metrics = std::make_shared<json>();
    hooks.advance = [metrics](const Task&, const TaskTally& tally) {
        *metrics = {{"items", tally.items()}, {"metrics", json::array()}};
        for (const TaskMetric& metric : tally.metrics()) {
            (*metrics)["metrics"].push_back({{"metric", metric.name},
                                             {"value", numberOrNull(metric.value)},
                                             {"stderr", numberOrNull(metric.standardError)}});
        }
    };
    hooks.progress = [send, job, metrics](const Progress& progress) {
        json event = progressEvent(progress);
        event["event"] = "task_progress";
        event["job"] = job;
        event["task"] = progress.stage;
        event.update(*metrics);
        send(event);
    };
    hooks.finished = [send, job](const TaskEvaluation& evaluation, bool wasThere) {
        json event = taskEvaluationJson(evaluation);
        event["event"] = "task_finished";
        event["job"] = job;
        event["task"] = evaluation.results.front().task;
        event["was_there"] = wasThere;
        send(event);
    };
    return hooks;
}

}  // namespace

EvaluationRequest evaluationAsked(const json& params, const ComputeDevice& device) {
    EvaluationRequest request;
    request.model = params.at("model").get<std::string>();
    request.text = namedText(params.value("text", "wikitext2"));
    request.options.context = params.value("context", std::int64_t{512});
    request.options.maxTokens = params.value("max_tokens", std::int64_t{0});
    request.options.score = scoredTokensFromName(params.value("score", "all"));
    request.device = device;
    return request;
}

NativeRequest tasksAsked(const json& params, const ComputeDevice& device) {
    NativeRequest request;
    request.model = params.at("model").get<std::string>();
    request.tasks = params.at("tasks").get<std::vector<std::string>>();
    request.selection.data = params.value("data", "");
    request.selection.limit = params.value("limit", 0.0);
    request.selection.shots = params.value("shots", std::int64_t{0});
    request.again = params.value("again", false);
    request.device = device;
    return request;
}

FetchOptions fetchAsked(const json& params) {
    FetchOptions options;
    options.tasks = params.at("tasks").get<std::vector<std::string>>();
    return options;
}

json evaluateAsJob(const EvaluationRequest& asked, EngineJob& job, const SendEvent& send) {
    if (!runDirectoryOf(asked.model).empty()) {
        requireStore();
    }
    const auto tell = [&](const Progress& progress) {
        json event = progressEvent(progress);
        event["run"] = asked.model;
        send(event);
    };
    const auto outcome = evaluateAndRecord(asked, tell, job.stop.get_token());
    if (!outcome) {
        throw Error("cancelled", "evaluate", "");
    }
    const auto run = outcome->recordedAs.parent_path().parent_path();
    return {{"perplexity", outcome->result.perplexity},
            {"tokens", outcome->result.tokensScored},
            {"seconds", outcome->result.seconds},
            {"warning", run.empty() ? outcome->unrecorded : evaluatedButNotIndexed(run)}};
}

json evaluateTasksAsJob(const NativeRequest& asked, EngineJob& job, const SendEvent& send) {
    requireStore();
    const auto outcome = evaluateTasks(asked, taskHooks(job.name, send), job.stop.get_token());
    if (!outcome) {
        throw Error("cancelled", "evaluate_tasks", "");
    }
    json result = taskEvaluationJson(outcome->evaluation);
    result["warning"] = outcome->run.empty() || !outcome->unrecorded.empty()
                            ? outcome->unrecorded
                            : evaluatedButNotIndexed(outcome->run);
    result["directory"] = outcome->run.string();
    result["seconds"] = outcome->seconds;
    result["sampled"] = outcome->sampled;
    return result;
}

json fetchAsJob(const FetchOptions& asked, EngineJob& job, const SendEvent& send) {
    const auto step = [&](const std::string& text) {
        send({{"event", "data_step"}, {"job", job.name}, {"text", text}});
    };
    return fetchedDataJson(fetchTaskData(asked, step, job.stop.get_token()));
}

}  // namespace cospadi::cli
