#include "app/cli/bundle_repetition.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "app/cli/session.h"
#include "core/base/error.h"
#include "core/base/thread_pool.h"
#include "core/bundle/relocated.h"
#include "core/report/run_labels.h"
#include "core/run/earlier_runs.h"
#include "core/store/locations.h"
#include "core/store/run_settings.h"

namespace cospadi::cli {

namespace {

// Of the run that the other one is made of. Throws Error where the bundle does not hold it, or it
// cannot be made again.
std::size_t sourceOf(const RunRow& run, const Derivation& derived, const BundlePlan& plan) {
    const auto source = std::find_if(plan.begin(), plan.end(), [&](const Repetition& one) {
        return one.given->id == derived.from;
    });
    if (source == plan.end()) {
        throw Error(
            fmt::format("was derived from {}, which the bundle does not contain", derived.from),
            run.id, "bundle both runs on the machine that made them");
    }
    return static_cast<std::size_t>(source - plan.begin());
}

void planDerived(Repetition& one, const RunSpecification& derived, const BundlePlan& plan) {
    one.source = sourceOf(*one.given, *derived.derived, plan);
    const auto before = specificationOf(*plan[one.source].given);
    if (!before) {
        throw Error("was derived from a run of another program", one.given->id,
                    "its numbers are in results.csv; they cannot be reproduced here");
    }
    one.step = stepBetween(*before, derived);
}

}  // namespace

std::string Repetition::state() const {
    return job ? name(job->state) : step ? "derived" : "impossible";
}

BundlePlan planOf(const Bundle& bundle, const std::string& model, const std::string& device) {
    BundlePlan plan;
    for (const RunRow& run : bundle.runs) {
        plan.emplace_back().given = &run;
    }
    std::vector<RunSpecification> specifications;
    std::vector<std::size_t> planned;  // their places in the plan
    for (std::size_t i = 0; i < plan.size(); ++i) {
        try {
            const auto specification = specificationOf(*plan[i].given);
            if (specification && specification->derived) {
                planDerived(plan[i], *specification, plan);
            } else {
                specifications.push_back(relocated(*plan[i].given, model));
                planned.push_back(i);
            }
        } catch (const Error& error) {
            plan[i].hole = error.what();
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

std::string planText(const BundlePlan& plan) {
    std::string text;
    double seconds = 0;
    for (const Repetition& one : plan) {
        const double own = one.estimate.seconds + one.estimate.calibrationSeconds;
        seconds += own;
        text += fmt::format("{:<44} {:<12} {:>10}  {}\n", methodLabel(*one.given), one.state(),
                            one.job ? "~" + humanSeconds(own) : "-",
                            one.hole.empty() ? one.given->id : one.hole);
    }
    return text + fmt::format("{}; about {} without measuring\n",
                              counted(static_cast<std::int64_t>(plan.size()), "run"),
                              humanSeconds(seconds));
}

}  // namespace cospadi::cli
