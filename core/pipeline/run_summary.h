// What a run came to, and what its files say that it came to.
#pragma once

#include <cstdint>
#include <filesystem>
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
    double relativeError = 0;     // mean over matrices
    double seconds = 0;           // of all starts together
    std::int64_t modelBytes = 0;  // of DIR/model; 0 where it was not written
};

// Of a finished run, from its files. Throws Error naming the file and field that are damaged.
RunSummary summaryOfRun(const std::filesystem::path& directory);

// The same of a run that has all that it says: a result, and each matrix' file, by header and size.
std::optional<RunSummary> wholeRun(const std::filesystem::path& directory);

}  // namespace cospadi
