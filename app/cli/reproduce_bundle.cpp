#include "app/cli/reproduce_bundle.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "app/cli/result_json.h"
#include "core/base/printable_text.h"
#include "core/base/thread_pool.h"
#include "core/bundle/bundle.h"
#include "core/bundle/relocated.h"
#include "core/bundle/run_numbers.h"
#include "core/lm_eval/native_evaluation.h"
#include "core/report/report.h"
#include "core/run/earlier_runs.h"
#include "core/run/evaluate_run.h"
#include "core/store/locations.h"
#include "core/sweep/sweep.h"
#include "core/sweep/sweep_estimate.h"

namespace cospadi::cli {

namespace {

using nlohmann::json;

// A run of the bundle, and what makes it here.
struct Repetition {
    const RunRow* given = nullptr;
    std::optional<SweepJob> job;
    JobEstimate estimate;
    std::string hole;  // why it, or a number of it, is missing; empty: nothing is
};

// Runs that are equal here share a job, and those of one calibration its time.
std::vector<Repetition> planOf(const Bundle& bundle, const BundleOptions& options,
                               const std::string& device) {
    std::vector<Repetition> plan;
    std::vector<RunSpecification> specifications;
    std::vector<std::size_t> planned;  // their places in the plan
    for (const RunRow& run : bundle.runs) {
        Repetition& one = plan.emplace_back();
        one.given = &run;
        try {
            specifications.push_back(relocated(run, options.model));
            planned.push_back(plan.size() - 1);
        } catch (const Error& error) {
            one.hole = error.what();
        }
    }
    const RunStore store = RunStore::openForReading(storePath());
    const std::vector<SweepJob> jobs = planSweepHere(specifications, store);
    const std::vector<JobEstimate> estimates = estimateSweep(
        jobs, MeasuredRates::ofThisMachine(store, device), ThreadPool::availableCores());
    std::map<std::string, std::size_t> byKey;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        byKey.emplace(runKey(jobs[i].specification), i);
    }
    for (std::size_t i = 0; i < planned.size(); ++i) {
        const std::size_t job = byKey.at(runKey(specifications[i]));
        plan[planned[i]].job = jobs[job];
        plan[planned[i]].estimate = estimates[job];
    }
    return plan;
}

std::string planText(const std::vector<Repetition>& plan) {
    std::string text;
    double seconds = 0;
    for (const Repetition& one : plan) {
        const double own = one.estimate.seconds + one.estimate.calibrationSeconds;
        seconds += own;
        text += fmt::format("{:<44} {:<12} {:>10}  {}\n", methodLabel(*one.given),
                            one.job ? name(one.job->state) : "impossible",
                            one.job ? "~" + humanSeconds(own) : "-",
                            one.hole.empty() ? one.given->id : one.hole);
    }
    return text + fmt::format("{}; about {} without measuring\n",
                              counted(static_cast<std::int64_t>(plan.size()), "run"),
                              humanSeconds(seconds));
}

// False when cancelled.
bool measurePerplexities(const Session& session, const Repetition& one,
                         const ComputeDevice& device) {
    for (const EvaluationRow& asked : one.given->evaluations) {
        if (asked.kind != "perplexity") {
            continue;
        }
        EvaluationRequest request;
        request.model = one.job->directory.string();
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

// Tasks by how many items they were asked: those of this program's own.
std::map<std::int64_t, std::vector<std::string>> tasksOf(const RunRow& run) {
    const std::vector<std::string> own = nativeTaskNames();
    std::map<std::int64_t, std::set<std::string>> bySamples;
    for (const TaskResultRow& row : run.taskResults) {
        if (std::find(own.begin(), own.end(), row.task) != own.end()) {
            bySamples[row.samples].insert(row.task);
        }
    }
    std::map<std::int64_t, std::vector<std::string>> all;
    for (const auto& [samples, tasks] : bySamples) {
        all[samples] = {tasks.begin(), tasks.end()};
    }
    return all;
}

bool askTasks(const Session& session, const Repetition& one, const BundleOptions& options,
              const ComputeDevice& device) {
    for (const auto& [samples, tasks] : tasksOf(*one.given)) {
        NativeRequest request;
        request.model = one.job->directory.string();
        request.tasks = tasks;
        request.selection.data = options.data;
        request.selection.limit = static_cast<double>(samples);
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

// False when cancelled.
bool repeat(const Session& session, Repetition& one, const BundleOptions& options,
            const ComputeDevice& device, const std::string& tag) {
    try {
        RunExecution execution;
        execution.writeModel = false;
        execution.device = device;
        const RunSummary run =
            runWithProgress(session, one.job->specification, one.job->directory, execution, {tag});
        const bool isWhole = run.termination != Termination::Cancelled &&
                             measurePerplexities(session, one, device) &&
                             askTasks(session, one, options, device);
        indexRun(one.job->directory, {tag});
        return isWhole;
    } catch (const Error& error) {
        one.hole = error.what();
        return true;
    }
}

std::vector<ComparedNumber> comparedAll(std::vector<Repetition>& plan) {
    const RunStore store = RunStore::openForReading(storePath());
    std::vector<ComparedNumber> all;
    for (Repetition& one : plan) {
        if (!one.job || !one.hole.empty()) {
            continue;
        }
        try {
            const auto numbers = compared(*one.given, store.find(one.job->directory.string()));
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

int verdict(const Session& session, const std::vector<Repetition>& plan,
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
        "{}: {} equal, {} within {:g} %, {} further apart, {} not measured; {} missing\n",
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
    std::vector<Repetition> plan = planOf(bundle, options, device.description);
    if (options.dryRun) {
        json runs = json::array();
        for (const Repetition& one : plan) {
            runs.push_back({{"run", one.given->id},
                            {"state", one.job ? name(one.job->state) : "impossible"},
                            {"seconds", one.estimate.seconds + one.estimate.calibrationSeconds},
                            {"reason", one.hole}});
        }
        session.print(planText(plan) + "Nothing was started.\n", {{"runs", runs}});
        return kOk;
    }
    requireStore();
    fmt::print(stderr, "{}", printableText(planText(plan)));
    const std::string tag =
        "bundle:" +
        std::filesystem::absolute(options.folder).lexically_normal().filename().string();
    for (Repetition& one : plan) {
        if (one.job && !repeat(session, one, options, device, tag)) {
            return kCancelled;
        }
    }
    const std::vector<ComparedNumber> numbers = comparedAll(plan);
    return verdict(session, plan, numbers, options.within);
}

}  // namespace cospadi::cli
