// The iterations of a run, a set of columns for each matrix: what charts and reports draw. They
// come from events.jsonl, or packed from the run store, which keeps them of every run that is not
// at work (RunStore::iterations chooses). Atom usage stays in events.jsonl alone.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace cospadi {

// Iterations of the same phase that follow one another.
struct PhaseLength {
    std::string name;
    std::size_t iterations = 0;
    bool operator==(const PhaseLength&) const = default;
};

// One matrix; the columns have one entry an iteration, in order.
struct MatrixIterations {
    std::string matrix;
    std::vector<PhaseLength> phases;
    std::vector<std::int64_t> iteration;  // 1-based, over all phases
    std::vector<float> relativeError;     // whitened; NaN where the file has none
    std::vector<float> heldOutError;      // empty where nothing was held out
    std::vector<float> seconds;           // of this iteration
    std::vector<float> usageEntropy;      // 0…1
    std::vector<std::int64_t> deadAtoms;
    std::vector<std::int64_t> supportChanges;

    std::size_t size() const { return iteration.size(); }
    const std::string& phase(std::size_t entry) const;
};

struct IterationSeries {
    std::vector<MatrixIterations> matrices;  // in the order in which they were begun
    std::int64_t brokenLines = 0;            // of events.jsonl, passed over

    std::size_t size() const;  // iterations of all matrices
};

// Lines that are no events (half a line where a process was killed) are counted and passed over; a
// matrix that was begun again (a resumed run) has only its last attempt. An absent file gives an
// empty series.
IterationSeries readIterations(const std::filesystem::path& runDirectory);

// Size and time of change of events.jsonl, "bytes:nanoseconds": the same as long as nothing was
// appended. Empty where there is no such file.
std::string eventsStamp(const std::filesystem::path& runDirectory);

// The columns as the store keeps them (docs/formats.md, "The store"): matrix and phases have
// columns of their own there. unpackColumns throws Error for a length or version that cannot be.
std::string packColumns(const MatrixIterations& matrix);
void unpackColumns(std::string_view packed, std::size_t count, MatrixIterations& matrix);

}  // namespace cospadi
