// What a run came to, and what its files say that it came to.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "core/dictionary/iteration_summary.h"

namespace cospadi {

struct RunSummary {
    std::string id;
    std::filesystem::path directory;
    Termination termination = Termination::Failed;  // Converged = finished, or Cancelled
    std::int64_t matrices = 0;
    std::int64_t bytes = 0;
    std::int64_t denseBytes = 0;
    double relativeError = 0;            // mean over matrices; NaN where one is unknown
    std::optional<double> heldOutError;  // the same on held-out inputs, where there were any
    double seconds = 0;                  // wall-clock, of all starts together, without pauses and
                                         // calibration; with the trials of an allocation
    std::string sourceType;              // of the same layers in the model's file; "" unknown
    std::int64_t sourceBytes = 0;        // and what they take there; 0 unknown
    std::int64_t modelBytes = 0;         // of DIR/model; 0 where it was not written
};

// Of a finished run, from its files. Throws Error naming the file and field that are damaged.
RunSummary summaryOfRun(const std::filesystem::path& directory);

// The same of a run that has all that it says: a result, and each matrix' file, by header and size.
std::optional<RunSummary> wholeRun(const std::filesystem::path& directory);

// The same of a run of which nothing is left to solve: it is whole, or came without matrices, as
// archives of results have runs. The record of the latter is enough where isMeasured() finds all
// that is asked of the run, as measuring takes matrices; only of such a run that is called.
std::optional<RunSummary> solvedRun(const std::filesystem::path& directory,
                                    const std::function<bool()>& isMeasured);

}  // namespace cospadi
