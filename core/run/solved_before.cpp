#include "core/run/solved_before.h"

#include "core/run/derived_run.h"
#include "core/run/earlier_runs.h"

namespace cospadi {

RunSpecification unrefined(RunSpecification specification) {
    const RunSpecification usual;
    specification.refine = usual.refine;
    specification.refineRate = usual.refineRate;
    return specification;
}

std::filesystem::path solvedBefore(const RunSpecification& specification,
                                   const std::filesystem::path& runs) {
    EarlierRuns all;
    all.addFolder(runs);
    const EarlierRun* run = all.find(runKey(unrefined(specification)));
    return run != nullptr && run->finished && wholeRun(run->directory) ? run->directory
                                                                       : std::filesystem::path();
}

SolvedBefore takeSolved(const std::filesystem::path& from, const MatrixFolder& solved,
                        const RunWriter& writer) {
    const FinishedRun source = openFinishedRun(from);
    copyAllocation(from, writer.directory(), source.records);
    solved.take(source.matrices(), source.records);
    return {source.id, source.seconds};
}

}  // namespace cospadi
