#include <fmt/format.h>

#include <vector>

#include "app/cli/run_command.h"
#include "app/cli/session.h"
#include "app/cli/task_output.h"
#include "core/base/error.h"
#include "core/base/printable_text.h"
#include "core/base/resources.h"
#include "core/exports/compressed_model.h"
#include "core/lm_eval/native_evaluation.h"
#include "core/lm_eval/python_environment.h"
#include "core/run/evaluate_run.h"

namespace cospadi::cli {

namespace {

struct EvaluateOptions {
    EvaluationRequest request;
    std::string text;
    std::string score = "all";
    DeviceOptions device;
    NativeRequest tasks;
};

int evaluateTasks(const Session& session, NativeRequest request, const DeviceOptions& device) {
    ProgressLine line;
    request.device = device.open();
    request.cpuTakesOver = cpuTakesOverNotice(line);
    NativeHooks hooks;
    hooks.note = [](const std::string& note) { fmt::print(stderr, "{}\n", note); };
    std::string live;
    hooks.advance = [&](const Task&, const TaskTally& tally) {
        live.clear();
        for (const TaskMetric& metric : tally.metrics()) {
            live += fmt::format("  {} {:.4g}", metric.name, metric.value);
        }
    };
    hooks.progress = [&](const Progress& progress) { line.show(progress, live); };
    hooks.finished = [&](const TaskEvaluation& evaluation, bool wasThere) {
        line.clear();
        if (wasThere) {
            fmt::print(stderr, "{} has already been evaluated\n",
                       printableLine(evaluation.results.front().task));
        }
    };
    requireSoundStore();
    const auto outcome = evaluateTasks(request, hooks, session.signals.token());
    line.clear();
    if (!outcome) {
        fmt::print(stderr, "cancelled; the same command resumes after the finished tasks\n");
        return kCancelled;
    }
    const bool recorded = !outcome->run.empty() && outcome->unrecorded.empty();
    nlohmann::json object = taskEvaluationJson(outcome->evaluation);
    object["seconds"] = outcome->seconds;
    object["items"] = outcome->items;
    object["computed_tokens"] = outcome->computedTokens;
    object["device"] = outcome->device;
    object["sampled"] = outcome->sampled;
    const std::string spent = fmt::format("{}, {}, {} ({})", counted(outcome->items, "item"),
                                          counted(outcome->computedTokens, "token"),
                                          humanSeconds(outcome->seconds), outcome->device);
    session.print(
        taskEvaluationTable(outcome->evaluation) +
            (outcome->items == 0 ? "already recorded with the run; --again evaluates again\n"
             : recorded          ? spent + "\nrecorded with the run\n"
                                 : spent + "\n"),
        object);
    // What took long to compute is told first.
    warn(recorded ? evaluatedButNotIndexed(outcome->run) : notRecorded(outcome->unrecorded));
    return kOk;
}

int evaluateText(const Session& session, EvaluateOptions options) {
    options.request.text = namedText(options.text);
    asUsage([&] {
        options.request.options.score = scoredTokensFromName(options.score);
        options.request.options.validate();
    });
    requireSoundStore();
    ProgressLine line;
    options.request.device = options.device.open();
    options.request.cpuTakesOver = cpuTakesOverNotice(line);
    const auto outcome =
        evaluateAndRecord(options.request, session.progress(line), session.signals.token());
    line.clear();
    if (!outcome) {
        fmt::print(stderr, "cancelled\n");
        return kCancelled;
    }
    const PerplexityResult& r = outcome->result;
    session.print(
        fmt::format("perplexity {:.6f}  over {} of {} tokens, context {}, score {}, {} ({:.0f} "
                    "tokens/s, {}){}\n",
                    r.perplexity, r.tokensScored, r.tokensRead, options.request.options.context,
                    options.score, humanSeconds(r.seconds), r.tokensPerSecond, outcome->device,
                    outcome->recordedAs.empty() ? "" : "\nrecorded with the run"),
        {{"perplexity", r.perplexity},
         {"nll_sum_nats", r.nllSum},
         {"tokens", r.tokensScored},
         {"tokens_read", r.tokensRead},
         {"context", options.request.options.context},
         {"score", options.score},
         {"seconds", r.seconds},
         {"tokens_per_second", r.tokensPerSecond},
         {"device", outcome->device},
         {"recorded_as", outcome->recordedAs.string()}});
    warn(outcome->recordedAs.empty()
             ? notRecorded(outcome->unrecorded)
             : evaluatedButNotIndexed(outcome->recordedAs.parent_path().parent_path()));
    return kOk;
}

}  // namespace

void addEvaluate(Command app, Session& session) {
    const Command command =
        app.addCommand("evaluate", "Evaluate a model or run: perplexity over a text, or tasks");
    auto options = std::make_shared<EvaluateOptions>();
    PerplexityOptions& p = options->request.options;
    NativeRequest& t = options->tasks;
    command.addOption("MODEL", options->request.model, "Path, run, or the word default").required();
    const Argument text = command.addOption(
        "--perplexity", options->text,
        "The text: a file, or one shipped with the program: wikitext2 (test split), "
        "wikitext2-spread (passages from all of it) or wikitext2-valid (for choosing settings)");
    const std::vector<Argument> ofText{
        command.addOption("--context", p.context, "Tokens per chunk; chunks are independent")
            .showDefault(),
        command.addOption("--max-tokens", p.maxTokens, "Only the first N tokens of the text [all]"),
        command
            .addOption("--score", options->score,
                       "Tokens to score: all, or second-half: only those with at least half a "
                       "context before them (as in llama.cpp)")
            .showDefault()};
    command
        .addOption("--tasks", t.tasks,
                   fmt::format("Tasks to evaluate, scored as by lm-eval {}, without Python: {}",
                               lmEvalVersion, fmt::join(nativeTaskNames(), ", ")))
        .delimiter(',')
        .oneWordEach()
        .excludes(text);
    std::vector<Argument> ofTasks{
        command.addOption("--data", t.selection.data,
                          "Tasks: folder with the data sets as JSON (docs/formats.md) [those "
                          "fetched by `cospadi data fetch`, else small samples]"),
        command
            .addOption("--limit", t.selection.limit,
                       "Tasks: only the first N items of each (below 1: a fraction)")
            .check(limitProblem),
        command.addOption("--num-fewshot", t.selection.shots,
                          "Tasks: examples in the prompt (mmlu only) [0]"),
        command
            .addOption("--max-length", t.maxLength,
                       "Tasks: maximum tokens of a prompt with its answer")
            .inRange(16, 1'000'000)
            .showDefault(),
        command.addOption(
            "--out", t.keep,
            "Tasks: folder for results and the answers to all items, in lm-eval's format")};
    options->device.addTo(command);
    ofTasks.push_back(
        command.addFlag("--again", t.again, "Tasks: also evaluate those with recorded results"));
    finishCommand(command, session, [&session, options, text, ofText, ofTasks] {
        if (text.count() > 0) {
            refuseGiven(ofTasks, "applies to tasks, not to the perplexity over a text",
                        "omit it, or use --tasks instead of --perplexity");
            return evaluateText(session, *options);
        }
        if (options->tasks.tasks.empty()) {
            throw UsageError("nothing to evaluate is given", "evaluate",
                             "add --perplexity wikitext2, or --tasks piqa,arc_easy");
        }
        refuseGiven(ofText, "applies to the perplexity over a text, not to tasks",
                    "omit it, or use --perplexity instead of --tasks");
        requireKnownTasks(options->tasks.tasks);
        options->tasks.model = options->request.model;
        return evaluateTasks(session, options->tasks, options->device);
    });
}

}  // namespace cospadi::cli
