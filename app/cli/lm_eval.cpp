#include <fmt/format.h>

#include "app/cli/lm_eval_import.h"
#include "app/cli/result_json.h"
#include "app/cli/run_command.h"
#include "app/cli/session.h"
#include "app/cli/task_output.h"
#include "core/base/error.h"
#include "core/exports/compressed_model.h"
#include "core/lm_eval/lm_eval_run.h"
#include "core/store/locations.h"
#include "core/store/run_store.h"

namespace cospadi::cli {

namespace {

struct LmEvalOptions {
    LmEvalRequest request;
    std::string keep;
};

int evaluateWithLmEval(const Session& session, const LmEvalOptions& options) {
    ProgressLine line;
    LmEvalHooks hooks;
    hooks.progress = session.progress(line);
    hooks.step = [&](const std::string& step) {
        line.clear();
        fmt::print(stderr, "{}\n", step);
    };
    requireSoundStore();
    const auto outcome = runLmEval(options.request, hooks, session.signals.token(), options.keep);
    line.clear();
    if (!outcome) {
        fmt::print(stderr, "cancelled\n");
        return kCancelled;
    }
    nlohmann::json object = taskEvaluationJson(outcome->evaluation);
    object["seconds"] = numberOrNull(outcome->evaluation.seconds);
    object["computed_tokens"] = outcome->computedTokens;
    object["cached_tokens"] = outcome->cachedTokens;
    object["chat_template"] =
        options.request.chat ? nlohmann::json(outcome->evaluation.chatTemplate) : nlohmann::json();
    object["recorded_as"] = outcome->recordedAs.string();
    session.print(
        taskEvaluationTable(outcome->evaluation) +
            (options.request.chat ? fmt::format("prompts rendered by the chat template {}\n",
                                                outcome->evaluation.chatTemplate)
                                  : std::string()) +
            fmt::format("{} of {} prompt tokens taken from the cache, {}{}\n",
                        outcome->cachedTokens, outcome->cachedTokens + outcome->computedTokens,
                        humanSeconds(outcome->evaluation.seconds),
                        outcome->recordedAs.empty() ? "" : "\nrecorded with the run"),
        object);
    warn(outcome->recordedAs.empty()
             ? notRecorded(outcome->unrecorded)
             : evaluatedButNotIndexed(outcome->recordedAs.parent_path().parent_path()));
    return kOk;
}

}  // namespace

void addLmEval(Command app, Session& session) {
    const Command command =
        app.addCommand("lm-eval", "Evaluate a model or run on tasks of lm-eval");
    auto options = std::make_shared<LmEvalOptions>();
    LmEvalRequest& r = options->request;
    const Argument model = command.addOption("MODEL", r.model, "Path, run, or the word default");
    command.addOption("--tasks", r.tasks, "Task names of lm-eval, for example piqa,arc_easy")
        .delimiter(',')
        .oneWordEach();
    command
        .addOption("--limit", r.limit, "Only the first N items of each task (below 1: a fraction)")
        .check(limitProblem);
    command.addOption("--num-fewshot", r.shots, "Examples in the prompt [the task's own]");
    command.addOption("--data", r.data,
                      "Folder with the data sets as JSON lines (docs/formats.md) [those fetched by "
                      "`cospadi data fetch`, else lm-eval downloads them]");
    command.addFlag("--chat", r.chat,
                    "Send prompts as chat messages, rendered by the model's chat template");
    command.addOption("--chat-template", r.chatTemplate,
                      "With --chat: name of the template to use (docs/serving.md) [the model's]");
    command.addOption("--include", r.include,
                      "Folder with your own task definitions; paths in them are relative to it");
    command.addOption("--max-length", r.maxLength, "Maximum tokens of a prompt with its answer")
        .inRange(16, 1'000'000)
        .showDefault();
    command.addOption("--concurrent", r.concurrent, "Concurrent requests")
        .inRange(1, 64)
        .showDefault();
    command.addOption("--out", options->keep, "Keep lm-eval's own files in this folder");
    command.allowCommand();
    const LmEvalImport importer = addLmEvalImport(command, session);
    // The outer command is called last: it decides.
    finishCommand(command, session, [&session, options, model, importer] {
        if (importer.command.isChosen()) {
            return importer.action();
        }
        if (model.count() == 0) {
            throw UsageError("no model is given", "lm-eval", "cospadi lm-eval MODEL --tasks piqa");
        }
        return evaluateWithLmEval(session, *options);
    });
}

}  // namespace cospadi::cli
