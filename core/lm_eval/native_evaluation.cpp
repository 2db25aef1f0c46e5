#include "core/lm_eval/native_evaluation.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/base/folder_path.h"
#include "core/base/stopwatch.h"
#include "core/base/temporary_folder.h"
#include "core/exports/compressed_model.h"
#include "core/exports/model_side_files.h"
#include "core/lm_eval/lm_eval_files.h"
#include "core/lm_eval/task_data.h"
#include "core/model/device_products.h"
#include "core/run/dense_run.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;

// What lm-eval puts before a text without context: the begin token, else the end token.
std::int32_t prefixTokenOf(const Model& model) {
    const nlohmann::json config = tokenizerConfigOf(WeightSource::open(model.sourcePath()));
    for (const char* name : {"bos_token", "eos_token"}) {
        const nlohmann::json text = specialToken(config, name);
        if (!text.is_string()) {
            continue;
        }
        const std::vector<std::int32_t> ids =
            model.tokenizer().encode(text.get_ref<const std::string&>(), true);
        // lm-eval takes a begin token with id 0 for none.
        if (!ids.empty() && (ids.front() != 0 || std::string_view(name) == "eos_token")) {
            return ids.front();
        }
    }
    return -1;
}

void append(TaskEvaluation& all, const TaskEvaluation& one) {
    const std::vector<TaskResultRow> before = std::move(all.results);
    all = one;
    all.results.insert(all.results.begin(), before.begin(), before.end());
}

}  // namespace

std::optional<NativeOutcome> evaluateTasks(const NativeRequest& request, const NativeHooks& hooks,
                                           const std::stop_token& stop) {
    TaskSelection selection = request.selection;
    const bool isNamed = !selection.data.empty();
    if (!isNamed) {
        selection.otherwise = taskDataPlaces();
    }
    const std::vector<Task> tasks = readTasks(request.tasks, selection);
    requireWritableFolder(request.keep);
    NativeOutcome outcome;
    for (const Task& task : tasks) {
        if (isNamed || !isShippedSample(task.data)) {
            continue;
        }
        outcome.sampled.push_back(task.name);
        if (hooks.note) {
            hooks.note(
                fmt::format("{}: a sample of {} items shipped with the program, not the full data "
                            "set (`cospadi data fetch {}`)",
                            task.name, task.items.size(), task.name));
        }
    }
    outcome.run = runDirectoryOf(request.model);
    if (outcome.run.empty()) {
        try {
            outcome.run = denseRunOf(request.model);
        } catch (const Error& error) {  // a model that cannot be read says so again below
            outcome.unrecorded = error.what();
        }
    }
    const std::string name = outcome.run.empty() ? request.model : nameOfPath(outcome.run);

    std::vector<const Task*> open;
    std::int64_t total = 0;
    for (const Task& task : tasks) {
        const std::optional<TaskEvaluation> known =
            outcome.run.empty() || request.again
                ? std::nullopt
                : recordedTaskEvaluation(outcome.run, questionOf(task, request.maxLength));
        if (known) {
            append(outcome.evaluation, *known);
            if (!request.keep.empty()) {
                copyLmEvalFiles(*known, request.keep);
            }
            if (hooks.finished) {
                hooks.finished(*known, true);
            }
            continue;
        }
        open.push_back(&task);
        total += static_cast<std::int64_t>(task.items.size());
    }
    if (open.empty()) {
        return outcome;
    }
    const Model model = loadForEvaluation(request.model, request.device);
    ThreadPool pool(request.threads);
    const auto products =
        productsOn(request.device, pool.threadCount(), outcome.device, request.cpuTakesOver);
    TaskEvaluator evaluator(model, pool, {request.maxLength, prefixTokenOf(model)}, products.get());
    const Stopwatch watch;
    for (const Task* task : open) {
        const std::int64_t before = outcome.items;
        const Stopwatch taskWatch;
        const auto advance = [&](const TaskTally& tally, double onTheirWay) {
            outcome.items = before + tally.items();
            const double seconds = watch.seconds();
            const double done = static_cast<double>(outcome.items) + onTheirWay;
            if (hooks.advance && onTheirWay == 0) {
                hooks.advance(*task, tally);
            }
            if (hooks.progress) {
                hooks.progress({task->name, static_cast<std::int64_t>(done), total, seconds,
                                seconds / done * (static_cast<double>(total) - done)});
            }
        };
        const std::optional<TaskOutcome> answers = evaluator.evaluate(*task, advance, stop);
        if (!answers) {
            return std::nullopt;
        }
        const TemporaryFolder work = TemporaryFolder::unique("cospadi-tasks-");
        const TaskEvaluation evaluation = writeLmEvalFiles(
            request.keep.empty() ? work.path() : request.keep, name, *task, *answers,
            {request.selection.limit, request.maxLength, taskWatch.seconds()});
        if (!outcome.run.empty()) {
            try {
                recordTaskEvaluation(outcome.run, evaluation);
            } catch (const std::exception& error) {
                outcome.unrecorded = error.what();
            }
        }
        append(outcome.evaluation, evaluation);
        if (hooks.finished) {
            hooks.finished(evaluation, false);
        }
    }
    outcome.seconds = watch.seconds();
    outcome.computedTokens = evaluator.computedTokens();
    return outcome;
}

}  // namespace cospadi
