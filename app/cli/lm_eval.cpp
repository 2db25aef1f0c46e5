#include <fmt/format.h>

#include <algorithm>

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

struct ImportOptions {
    std::string source;
    std::string run;
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
    object["recorded_as"] = outcome->recordedAs.string();
    session.print(
        taskEvaluationTable(outcome->evaluation) +
            fmt::format("{} of {} prompt tokens came from the cache, {}{}\n", outcome->cachedTokens,
                        outcome->cachedTokens + outcome->computedTokens,
                        humanSeconds(outcome->evaluation.seconds),
                        outcome->recordedAs.empty() ? "" : "\nrecorded with the run"),
        object);
    warn(outcome->recordedAs.empty()
             ? notRecorded(outcome->unrecorded)
             : evaluatedButNotIndexed(outcome->recordedAs.parent_path().parent_path()));
    return kOk;
}

// A results file, or every one in a folder and those below it: lm-eval makes a folder a model, and
// a file each time it is asked.
std::vector<std::filesystem::path> resultsIn(const std::filesystem::path& source) {
    namespace fs = std::filesystem;
    std::vector<fs::path> files;
    if (!fs::is_directory(source)) {
        return {source};
    }
    for (const auto& entry : fs::recursive_directory_iterator(source)) {
        const std::string file = entry.path().filename().string();
        if (entry.is_regular_file() && file.starts_with("results") && file.ends_with(".json")) {
            files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end());               // their names end in the time
    return files.empty() ? std::vector{source} : files;  // which then is named as the problem
}

void importFile(const std::filesystem::path& file, const std::string& word, RunStore& store,
                nlohmann::json& imported, std::string& text) {
    const TaskEvaluation evaluation = readTaskEvaluation(file);
    // Results of this program carry the run's id as the model's name.
    std::filesystem::path run = runDirectoryOf(word.empty() ? evaluation.model : word);
    if (run.empty() && !word.empty()) {
        throw Error("there is no such run", word, "`cospadi runs list` shows those there are");
    }
    const bool isForeign = run.empty();
    if (isForeign) {
        run = writeExternalRun(runsDirectory(), evaluation);
    } else {
        recordTaskEvaluation(run, evaluation);
    }
    const std::string id = store.importRun(run);
    nlohmann::json object = taskEvaluationJson(evaluation);
    object["run"] = id;
    object["file"] = evaluation.source.string();
    imported.push_back(std::move(object));
    text += taskEvaluationTable(evaluation) + fmt::format("{} recorded with {} {}\n",
                                                          evaluation.source.filename().string(),
                                                          isForeign ? "a new run," : "run", id);
}

int import(const Session& session, const ImportOptions& options) {
    RunStore store = RunStore::open(storePath());
    nlohmann::json imported = nlohmann::json::array();
    std::string text;
    for (const std::filesystem::path& file : resultsIn(options.source)) {
        text += text.empty() ? "" : "\n";
        importFile(file, options.run, store, imported, text);
    }
    session.print(text, {{"imported", imported}});
    return kOk;
}

}  // namespace

void addLmEval(Command app, Session& session) {
    const Command command = app.addCommand("lm-eval", "Tasks of lm-eval on a model or run");
    auto options = std::make_shared<LmEvalOptions>();
    LmEvalRequest& r = options->request;
    const Argument model = command.addOption("MODEL", r.model, "Path, run, or the word default");
    command.addOption("--tasks", r.tasks, "Names of lm-eval, for example piqa,arc_easy")
        .delimiter(',')
        .oneWordEach();
    command.addOption("--limit", r.limit, "Only the first N items of each task (below 1: a share)")
        .check(limitProblem);
    command.addOption("--num-fewshot", r.shots, "Examples in the prompt [the task's own]");
    command.addOption("--data", r.data,
                      "Folder with the data sets as JSON lines (docs/formats.md) [those that "
                      "`cospadi data fetch` got, else lm-eval loads them from the network]");
    command.addOption("--include", r.include,
                      "Folder with task definitions of your own; paths in them count from it");
    command.addOption("--max-length", r.maxLength, "Tokens of a prompt with its answer")
        .inRange(16, 1'000'000)
        .showDefault();
    command.addOption("--concurrent", r.concurrent, "Requests on their way at the same time")
        .inRange(1, 64)
        .showDefault();
    command.addOption("--out", options->keep, "Keep lm-eval's own files in this folder");
    command.allowCommand();
    const Command importer =
        command.addCommand("import", "Take in the results of any run of lm-eval");
    auto importOptions = std::make_shared<ImportOptions>();
    importer
        .addOption("FILE", importOptions->source, "results_….json, or a folder: every one in it")
        .required();
    importer.addOption("--run", importOptions->run,
                       "The run they belong to [the one they name, else a new, external one]");
    importer.addFlag("--json", session.json, "Print one JSON object on stdout and nothing else");
    // The outer command is called last: it decides.
    finishCommand(command, session, [&session, options, importOptions, model, importer] {
        if (importer.isChosen()) {
            return import(session, *importOptions);
        }
        if (model.count() == 0) {
            throw UsageError("no model is named", "lm-eval", "cospadi lm-eval MODEL --tasks piqa");
        }
        return evaluateWithLmEval(session, *options);
    });
}

}  // namespace cospadi::cli
