// The iterations of a run, read from events.jsonl when a chart asks for them: columns, not objects,
// so that a run of 200 matrices × 60 iterations takes about a megabyte.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace cospadi {

struct IterationSeries {
    std::vector<std::string> matrixNames;  // in order of first appearance
    std::vector<std::string> phaseNames;

    // One entry an iteration, in the order in which they were done.
    std::vector<std::uint32_t> matrix;    // index into matrixNames
    std::vector<std::uint32_t> phase;     // index into phaseNames
    std::vector<std::int32_t> iteration;  // 1-based, over all phases of a matrix
    std::vector<double> relativeError;    // whitened; NaN where the file has none
    std::vector<float> seconds;           // of this iteration
    std::vector<std::int32_t> deadAtoms;
    std::vector<std::int64_t> supportChanges;
    std::vector<float> usageEntropy;                // 0…1
    std::vector<std::uint64_t> usageOffsets = {0};  // size()+1 offsets into usageQuantiles
    std::vector<std::int32_t> usageQuantiles;       // descending, at most 64 an iteration

    std::int64_t brokenLines = 0;  // passed over

    std::size_t size() const { return iteration.size(); }
    std::span<const std::int32_t> usage(std::size_t entry) const;
};

// Lines that are no events (half a line where a process was killed) are counted and passed over; a
// matrix that was begun again (a resumed run) has only its last attempt. An absent file gives an
// empty series.
IterationSeries readIterations(const std::filesystem::path& runDirectory);

}  // namespace cospadi
