#include "core/run/refine_run.h"

#include <fmt/format.h>

#include <optional>

#include "core/base/error.h"
#include "core/run/run_beginning.h"
#include "core/store/locations.h"

namespace cospadi {

namespace {

void requireRefinable(const FinishedRun& source) {
    const RunSpecification& s = source.specification;
    if (isRefined(s)) {
        throw Error(fmt::format("run {} has already been refined", source.id), "RUN",
                    "refine an unrefined run with more sequences");
    }
    if (s.derived && s.derived->isRequantized()) {
        throw Error(
            fmt::format("the coefficients of run {} have already been {}", source.id,
                        requantizationWords(*s.derived)),
            "RUN",
            fmt::format(
                "refine the run it was derived from, {}, and shorten its coefficients afterwards",
                s.derived->from));
    }
    if (s.derived) {
        throw Error(fmt::format("run {} is a slice of another run", source.id), "RUN",
                    fmt::format("refine the run it was derived from, {}, and slice it afterwards",
                                s.derived->from));
    }
    requireSameModel(source);
}

}  // namespace

RunSpecification refinedSpecification(const RunSpecification& source, const RefineSettings& how) {
    RunSpecification specification = source;
    specification.refine = how.sequences;
    specification.refineRate = how.rate;
    return specification;
}

DerivedRun refineRun(const std::filesystem::path& directory, const RefineSettings& how,
                     RunExecution execution, const std::stop_token& stop) {
    const FinishedRun source = openFinishedRun(directory);
    requireRefinable(source);
    RunSpecification specification = refinedSpecification(source.specification, how);
    if (!methodOf(specification).uses("refine")) {
        throw Error(fmt::format("layers of run {} are stored as {}, which cannot be refined",
                                source.id, methodOf(specification).formUnder(specification)),
                    "RUN",
                    "use a run whose layers are a dictionary and codes, or two low-rank factors");
    }
    validate(specification);
    const std::filesystem::path runs = runsDirectory();
    std::filesystem::create_directories(runs);
    std::optional<RunBeginning> beginning(std::in_place, specification, runs, FinishedRuns::Count);
    beginning->requireIdle();
    std::filesystem::path own;
    if (const std::optional<EarlierRun>& earlier = beginning->earlier()) {
        own = earlier->directory;
        specification = goingOn(*earlier, specification);
        if (const auto whole = wholeRun(own); whole && earlier->finished) {
            return {*whole, true};
        }
    }
    execution.solved = directory;
    execution.onOpened = [&beginning, outer = execution.onOpened] {
        beginning.reset();
        if (outer) {
            outer();
        }
    };
    return {executeRun(specification, own, execution, stop), false};
}

}  // namespace cospadi
