#include "core/reproduce/reproduction_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>
#include <set>

#include "core/base/error.h"
#include "core/methods/method.h"
#include "core/model/model_info.h"
#include "core/reproduce/evaluation_estimate.h"
#include "core/run/earlier_runs.h"
#include "core/run/resolve_specification.h"
#include "core/store/run_directory.h"
#include "core/store/run_settings.h"
#include "core/sweep/sweep_refusals.h"

namespace cospadi {

namespace {

std::map<std::filesystem::path, const RunRow*> byDirectory(const std::vector<RunRow>& rows) {
    std::map<std::filesystem::path, const RunRow*> places;
    for (const RunRow& row : rows) {
        places.emplace(std::filesystem::weakly_canonical(row.directory), &row);
    }
    return places;
}

std::set<std::string> settingsToldBy(const Reproduction& entry) {
    std::set<std::string> told;
    for (const ReproducedOutput& output : entry.outputs) {
        told.insert(output.rows.begin(), output.rows.end());
    }
    return told;
}

// "cospadi, cr 0.2, rho 2"; as a sweep tells its jobs where that is not enough.
std::vector<std::string> describedRuns(const Reproduction& entry,
                                       const std::vector<SweepJob>& jobs) {
    std::set<std::string> told = settingsToldBy(entry);
    told.insert("cr");
    told.erase("method");  // stands first
    std::vector<std::string> descriptions;
    for (const SweepJob& job : jobs) {
        const std::map<std::string, std::string> settings = settingsOf(job.specification);
        std::string text = methodOf(job.specification).name();
        for (const std::string& field : told) {
            if (const auto found = settings.find(field); found != settings.end()) {
                text += fmt::format(", {} {}", field, found->second);
            }
        }
        descriptions.push_back(std::move(text));
    }
    const std::set<std::string> distinct(descriptions.begin(), descriptions.end());
    return distinct.size() == descriptions.size() ? descriptions : describeJobs(jobs);
}

// Where no compressed run can begin there is nothing to make a table of.
void requireSome(const std::vector<PlannedRun>& runs) {
    const PlannedRun* refused = nullptr;
    for (const PlannedRun& run : runs) {
        if (isDense(run.job.specification) || !run.isTabled) {
            continue;
        }
        if (run.refusal.empty()) {
            return;
        }
        refused = refused == nullptr ? &run : refused;
    }
    if (refused != nullptr) {
        throw Error(
            "none of the runs can start: " + refused->refusal, refused->job.specification.model,
            "the entry requires a model with such layers; try another label with --dry-run");
    }
}

EarlierRuns earlierRuns(const std::filesystem::path& runs, const std::vector<RunRow>& rows) {
    EarlierRuns earlier;
    earlier.addFolder(runs);
    for (const RunRow& row : rows) {
        earlier.add(row.directory);
    }
    return earlier;
}

PlannedRun derivedRun(const PlannedRun& source, std::size_t place, const DerivedStep& step,
                      const EarlierRuns& earlier, const std::vector<LayerInfo>& layers) {
    PlannedRun run;
    run.step = step;
    run.source = place;
    run.description = fmt::format("{}, {}", source.description, words(step));
    const RunSpecification& s = source.job.specification;
    const std::string id =
        source.job.state == JobState::Finished ? runIdIn(source.job.directory) : "";
    run.job.specification = derivedSpecification(step, s, id);
    run.job.runs = source.job.runs;
    run.refusal = source.refusal.empty()
                      ? refusalOf(step, s, layers)
                      : fmt::format("the run it is derived from cannot start: {}", source.refusal);
    if (!run.refusal.empty()) {
        return run;
    }
    run.estimate.matrices = source.estimate.matrices;
    run.estimate.measured = true;
    if (step.isSlice()) {  // links to the files of the run
        run.estimate.matrices =
            static_cast<std::int64_t>(selectLayers(layers, run.job.specification.layers).size());
    } else {
        run.estimate.bytes = source.estimate.bytes;
        run.estimate.memoryBytes = source.estimate.memoryBytes;
    }
    const EarlierRun* known = id.empty() ? nullptr : earlier.find(runKey(run.job.specification));
    if (known != nullptr) {
        run.job.directory = known->directory;
        run.job.finishedMatrices = known->matrices;
        run.job.state = known->finished ? JobState::Finished : JobState::Interrupted;
    }
    return run;
}

void addDerivedRuns(const Protocol& protocol, const std::vector<RunRow>& rows,
                    const std::vector<LayerInfo>& layers, std::vector<PlannedRun>& runs) {
    const std::vector<DerivedStep> steps = protocol.derive.all();
    if (steps.empty()) {
        return;
    }
    const EarlierRuns earlier = earlierRuns(runs.front().job.runs, rows);
    const std::size_t ofGrid = runs.size();
    for (std::size_t i = 0; i < ofGrid; ++i) {
        if (!protocol.derive.areOf(runs[i].job.specification)) {
            continue;
        }
        runs[i].isTabled = protocol.derive.slice.empty();
        for (const DerivedStep& step : steps) {
            runs.push_back(derivedRun(runs[i], i, step, earlier, layers));
        }
    }
}

SweepJob begun(const PlannedRun& run) {
    const bool isMeasured = run.evaluationSeconds == 0 && run.untimed.empty();
    return asBegun(
        run.job,
        isMeasured ? std::vector<std::string>() : std::vector<std::string>{kPerplexityLeft}, {});
}

// Null where nothing is asked.
std::shared_ptr<const PlannedTasks> plannedTasks(const TaskPlan& tasks) {
    if (tasks.tasks.empty()) {
        return nullptr;
    }
    try {
        return std::make_shared<const PlannedTasks>(tasks);
    } catch (const Error& error) {
        if (!tasks.data.empty()) {
            throw;
        }
        throw Error(error.problem(), error.where(),
                    fmt::format("fetch the data sets with `cospadi data fetch {}`, or use --quick, "
                                "for which the shipped samples suffice",
                                fmt::join(tasks.tasks, " ")));
    }
}

}  // namespace

double ReproductionPlan::secondsLeft() const {
    return std::accumulate(runs.begin(), runs.end(), 0.0, [](double sum, const PlannedRun& run) {
        return sum + run.secondsLeft();
    });
}

double ReproductionPlan::bytesLeft() const {
    return std::accumulate(runs.begin(), runs.end(), 0.0, [](double sum, const PlannedRun& run) {
        return sum + (run.isSolved() ? 0 : run.estimate.bytes);
    });
}

double ReproductionPlan::memoryBytes() const {
    return std::accumulate(runs.begin(), runs.end(), 0.0, [](double most, const PlannedRun& run) {
        return run.isDone() ? most : std::max(most, run.estimate.memoryBytes);
    });
}

std::int64_t ReproductionPlan::missing() const {
    return std::count_if(runs.begin(), runs.end(),
                         [](const PlannedRun& run) { return !run.isDone(); });
}

std::int64_t ReproductionPlan::untimed() const {
    return std::count_if(runs.begin(), runs.end(),
                         [](const PlannedRun& run) { return !run.untimed.empty(); });
}

ReproductionPlan planReproduction(const Reproduction& entry, const Protocol& protocol,
                                  const std::vector<SweepJob>& jobs, const RunStore& store,
                                  const MeasuredRates& rates, int cores) {
    ReproductionPlan plan;
    if (jobs.empty()) {
        return plan;
    }
    const std::vector<std::string> refusals = sweepRefusals(jobs);
    const std::vector<std::string> descriptions = describedRuns(entry, jobs);
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        plan.runs.push_back({jobs[i], descriptions[i], refusals[i], {}, 0});
    }
    requireSome(plan.runs);
    const RunSpecification& first = jobs.front().specification;
    RunFilter all;
    all.includeArchived = true;
    const std::vector<RunRow> rows = store.list(all);
    const auto stored = byDirectory(rows);
    const ModelInfo model = inspectModel(first.model);
    plan.tasks = plannedTasks(protocol.tasks);
    const EvaluationEstimate evaluations(protocol, plan.tasks.get(), rates, first.modelSha256,
                                         static_cast<double>(model.parameters), cores);
    const auto measure = [&](PlannedRun& run) {
        const auto row = run.job.directory.empty()
                             ? stored.end()
                             : stored.find(std::filesystem::weakly_canonical(run.job.directory));
        const RunRow* known = row == stored.end() ? nullptr : row->second;
        run.evaluationSeconds = evaluations.secondsLeft(known);
        run.untimed = evaluations.untimed(known);
    };
    std::vector<SweepJob> runnable;
    for (PlannedRun& run : plan.runs) {
        if (run.refusal.empty()) {
            measure(run);
            runnable.push_back(begun(run));
            run.isMadeAgain = runnable.back().state == JobState::Incomplete;
        }
    }
    const std::vector<JobEstimate> estimates = estimateSweep(runnable, rates, cores);
    std::size_t next = 0;
    for (PlannedRun& run : plan.runs) {
        if (run.refusal.empty()) {
            run.estimate = estimates[next++];
        }
    }
    addDerivedRuns(protocol, rows, model.layers, plan.runs);
    requireSome(plan.runs);
    for (PlannedRun& run : plan.runs) {
        if (!run.refusal.empty()) {
            continue;
        }
        if (run.step) {
            measure(run);
        } else if (!run.isTabled) {
            run.evaluationSeconds = 0;
            run.untimed.clear();
        }
        plan.isMeasured =
            plan.isMeasured &&
            (run.isDone() ||
             ((run.estimate.measured || run.isSolved()) &&
              (run.estimate.calibrationSeconds == 0 || run.estimate.calibrationMeasured) &&
              (run.evaluationSeconds == 0 || evaluations.isMeasured())));
    }
    return plan;
}

}  // namespace cospadi
