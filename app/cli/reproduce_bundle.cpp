#include "app/cli/reproduce_bundle.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <compare>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "app/cli/bundle_repetition.h"
#include "app/cli/result_json.h"
#include "core/base/folder_path.h"
#include "core/base/printable_text.h"
#include "core/bundle/bundle.h"
#include "core/bundle/relocated.h"
#include "core/bundle/run_numbers.h"
#include "core/lm_eval/native_evaluation.h"
#include "core/report/report.h"
#include "core/run/evaluate_run.h"
#include "core/store/locations.h"
#include "core/tasks/task_records.h"

namespace cospadi::cli {

namespace {

using nlohmann::json;

// False when cancelled.
bool measurePerplexities(const Session& session, const Repetition& one,
                         const ComputeDevice& device) {
    for (const EvaluationRow& asked : one.given->evaluations) {
        if (asked.kind != "perplexity") {
            continue;
        }
        EvaluationRequest request;
        request.model = one.directory.string();
        request.text = textOfHash(asked.text, asked.textSha256);
        request.options.context = asked.context;
        request.options.maxTokens = asked.maxTokens;
        request.options.score = scoredTokensFromName(asked.score);
        request.device = device;
        if (recordedPerplexity(request)) {
            continue;
        }
        ProgressLine line;
        if (!evaluateAndRecord(request, session.progress(line), session.signals.token())) {
            return false;
        }
    }
    return true;
}

// What tasks are asked together by.
struct TaskQuestion {
    std::int64_t samples = 0;  // of each task
    std::int64_t shots = 0;
    std::int64_t maxLength = kUsualMaxLength;
    auto operator<=>(const TaskQuestion&) const = default;
};

// Those of this program's own. Of mmlu they are its subjects: the group's result is made of theirs.
std::map<TaskQuestion, std::set<std::string>> tasksOf(const RunRow& run) {
    std::map<TaskQuestion, std::set<std::string>> all;
    for (const TaskResultRow& row : run.taskResults) {
        const bool isSubject = isMmluSubject(row.task);
        const std::int64_t shots = std::max<std::int64_t>(row.shots, 0);    // below: not known
        if (isSubject || (knownTask(row.task) != nullptr && shots == 0)) {  // examples: lm-eval's
            all[{row.samples, shots, lengthOf(row.version)}].insert(row.task);
        }
    }
    return all;
}

bool askTasks(const Session& session, const Repetition& one, const BundleOptions& options,
              const ComputeDevice& device) {
    for (const auto& [question, tasks] : tasksOf(*one.given)) {
        NativeRequest request;
        request.model = one.directory.string();
        request.tasks = {tasks.begin(), tasks.end()};
        request.selection.data = options.data;
        request.selection.limit = static_cast<double>(question.samples);
        request.selection.shots = question.shots;
        request.maxLength = question.maxLength;
        request.device = device;
        ProgressLine line;
        NativeHooks hooks;
        hooks.progress = session.progress(line);
        if (!evaluateTasks(request, hooks, session.signals.token())) {
            return false;
        }
    }
    return true;
}

// False when cancelled. Throws Error as what makes the run does.
bool make(const Session& session, const BundlePlan& plan, Repetition& one,
          const ComputeDevice& device, const std::vector<std::string>& tags) {
    if (one.job) {
        RunExecution execution;
        execution.writeModel = false;
        execution.device = device;
        const RunSummary run =
            runWithProgress(session, one.job->specification, one.job->directory, execution, tags);
        one.directory = one.job->directory;
        return run.termination != Termination::Cancelled;
    }
    const Repetition& source = plan[one.source];
    if (source.directory.empty()) {
        throw Error("could not be made, but this run is derived from it", source.given->id,
                    "see the message about it");
    }
    RunProgress progress;
    const DerivedRun made = makeDerived(
        *one.step, source.directory,
        [&](const json& event) { showAndIndex(progress, event, tags); }, session.signals.token());
    progress.clear();
    one.directory = made.summary.directory;
    return made.summary.termination != Termination::Cancelled;
}

// False when cancelled.
bool repeat(const Session& session, const BundlePlan& plan, Repetition& one,
            const BundleOptions& options, const ComputeDevice& device,
            const std::vector<std::string>& tags) {
    try {
        const bool isWhole = make(session, plan, one, device, tags) &&
                             measurePerplexities(session, one, device) &&
                             askTasks(session, one, options, device);
        indexRun(one.directory, tags);
        return isWhole;
    } catch (const Error& error) {
        one.hole = error.what();
        return true;
    }
}

std::vector<ComparedNumber> comparedAll(BundlePlan& plan) {
    const RunStore store = RunStore::openForReading(storePath());
    std::vector<ComparedNumber> all;
    for (Repetition& one : plan) {
        if (!one.hole.empty()) {
            continue;
        }
        try {
            const auto numbers = compared(*one.given, store.find(one.directory.string()));
            all.insert(all.end(), numbers.begin(), numbers.end());
        } catch (const Error& error) {
            one.hole = error.what();
        }
    }
    return all;
}

std::string verdictOf(const ComparedNumber& number, double within) {
    return !number.isMeasured() ? "not measured"
           : number.isEqual()   ? "equal"
           : number.difference() <= within
               ? fmt::format("{:.2g} %", 100 * number.difference())
               : fmt::format("differs by {:.2g} %", 100 * number.difference());
}

ReportCell cellOf(const ComparedNumber& number, double value) {
    return !std::isfinite(value)              ? ReportCell()
           : number.given.quantity == "bytes" ? ReportCell(std::llround(value))
                                              : ReportCell(value);
}

ReportTable tableOf(const std::vector<ComparedNumber>& numbers, double within) {
    ReportTable table;
    table.columns = {{"run"},
                     {"quantity"},
                     {"given", ColumnKind::Number, 4},
                     {"here", ColumnKind::Number, 4},
                     {"agreement"}};
    for (const ComparedNumber& number : numbers) {
        ReportRow row;
        row.cells = {number.run, number.given.quantity, cellOf(number, number.given.value),
                     cellOf(number, number.repeated), verdictOf(number, within)};
        table.rows.push_back(std::move(row));
    }
    return table;
}

json jsonOf(const std::vector<ComparedNumber>& numbers) {
    json all = json::array();
    for (const ComparedNumber& number : numbers) {
        all.push_back({{"run", number.run},
                       {"quantity", number.given.quantity},
                       {"on", number.given.on},
                       {"given", number.given.value},
                       {"here", numberOrNull(number.repeated)}});
    }
    return all;
}

int verdict(const Session& session, const BundlePlan& plan,
            const std::vector<ComparedNumber>& numbers, double within) {
    const auto count = [&](auto&& holds) {
        return static_cast<std::int64_t>(std::count_if(numbers.begin(), numbers.end(), holds));
    };
    const auto equal = count([](const ComparedNumber& n) { return n.isEqual(); });
    const auto close = count([&](const ComparedNumber& n) {
        return n.isMeasured() && !n.isEqual() && n.difference() <= within;
    });
    const auto missing = count([](const ComparedNumber& n) { return !n.isMeasured(); });
    const auto apart = static_cast<std::int64_t>(numbers.size()) - equal - close - missing;
    std::string text = render(tableOf(numbers, within), ReportFormat::Terminal);
    json holes = json::array();
    for (const Repetition& one : plan) {
        if (!one.hole.empty()) {
            text += fmt::format("{}: {}\n", methodLabel(*one.given), one.hole);
            holes.push_back({{"run", one.given->id}, {"reason", one.hole}});
        }
    }
    text += fmt::format(
        "{}: {} equal, {} within {:g} %, {} differ by more, {} not measured; {} missing\n",
        counted(static_cast<std::int64_t>(numbers.size()), "number"), equal, close, 100 * within,
        apart, missing, counted(static_cast<std::int64_t>(holes.size()), "run"));
    session.print(text, {{"numbers", jsonOf(numbers)},
                         {"equal", equal},
                         {"within", close},
                         {"apart", apart},
                         {"not_measured", missing},
                         {"holes", holes}});
    return !holes.empty() || missing > 0 ? kFailed : apart > 0 ? kMissed : kOk;
}

}  // namespace

int reproduceBundle(const Session& session, const BundleOptions& options) {
    const Bundle bundle = readBundle(options.folder);
    const ComputeDevice device = options.device.open();
    BundlePlan plan = planOf(bundle, options.model, device.description);
    if (options.dryRun) {
        json runs = json::array();
        for (const Repetition& one : plan) {
            runs.push_back({{"run", one.given->id},
                            {"state", one.state()},
                            {"seconds", one.estimate.seconds + one.estimate.calibrationSeconds},
                            {"reason", one.hole}});
        }
        session.print(planText(plan) + "Nothing was started.\n", {{"runs", runs}});
        return kOk;
    }
    requireStore();
    fmt::print(stderr, "{}", printableText(planText(plan)));
    const std::vector<std::string> tags = {"bundle:" + nameOfPath(options.folder)};
    for (auto one = plan.rbegin(); one != plan.rend(); ++one) {  // what others are made of first
        if (one->hole.empty() && !repeat(session, plan, *one, options, device, tags)) {
            return kCancelled;
        }
    }
    const std::vector<ComparedNumber> numbers = comparedAll(plan);
    return verdict(session, plan, numbers, options.within);
}

}  // namespace cospadi::cli
