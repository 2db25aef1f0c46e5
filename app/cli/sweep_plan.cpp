#include "app/cli/sweep_plan.h"

#include <fmt/format.h>

#include "app/cli/session.h"
#include "core/store/locations.h"
#include "core/store/run_store.h"

namespace cospadi::cli {

SweepPlan sweepPlan(const SweepFile& file) {
    const std::vector<RunSpecification> grid = asUsage([&] { return expandGrid(file.grid); });
    return {planSweepHere(grid, RunStore::openForReading(storePath())), grid.size()};
}

std::string combinationsText(const SweepPlan& plan) {
    return plan.combinations == plan.jobs.size()
               ? ""
               : fmt::format(
                     "{} combinations are {}: settings that a method does not use, and seeds of a "
                     "deterministic solver, make no difference.\n",
                     plan.combinations,
                     counted(static_cast<std::int64_t>(plan.jobs.size()), "run"));
}

nlohmann::json jobJson(const SweepJob& job, const std::string& description) {
    return {{"description", description},
            {"directory", job.directory.string()},
            {"specification", toJson(job.specification)}};
}

}  // namespace cospadi::cli
