#include "core/run/record_warnings.h"

#include <fmt/format.h>

#include <map>

#include "core/base/program_revision.h"
#include "core/run/outlying_errors.h"
#include "core/run/smaller_runs.h"

namespace cospadi {

void warnOfErrors(const RunSpecification& specification, const std::vector<MatrixRecord>& records,
                  const std::filesystem::path& runs, const WarningCallback& warning) {
    if (methodOf(specification).asBlockMethod() != nullptr) {
        return;  // no layer has an error of its own
    }
    for (const OutlyingError& outlying : outlyingErrors(records)) {
        warning(outlying.matrix,
                fmt::format("its error, {:.4f}, is {:.0f} times the median of its kind; compress "
                            "it at a smaller ratio (as `allocation` knapsack does), or exclude it",
                            outlying.error, outlying.error / outlying.median));
    }
    for (const BeatenMatrix& beaten : beatenBySmallerRuns(specification, records, runs)) {
        warning(beaten.matrix, fmt::format("its error, {:.4f}, is above the {:.4f} of {} with "
                                           "fewer bytes; compress it at that run's ratio",
                                           beaten.error, beaten.otherError, beaten.otherRun));
    }
}

void warnOfOtherRevisions(const std::vector<MatrixRecord>& records, std::size_t layers,
                          const WarningCallback& warning) {
    std::map<std::string, std::int64_t> others;
    for (const MatrixRecord& record : records) {
        if (!record.revision.empty() && record.revision != programRevision()) {
            ++others[record.revision];
        }
    }
    for (const auto& [revision, count] : others) {
        warning("", fmt::format("{} of {} matrices were made by revision {} of the program, the "
                                "rest by {}; start a new run if they must agree bit for bit",
                                count, layers, revision, programRevision()));
    }
}

}  // namespace cospadi
