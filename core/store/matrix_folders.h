// Where a run's matrices lie below its directory.
#pragma once

#include <cstdint>
#include <filesystem>

namespace cospadi {

// Those of the result.
std::filesystem::path matrixFolder(const std::filesystem::path& run);

// Of a run that is refined (RunSpecification::refine), until it is finished: the matrices as they
// were solved.
std::filesystem::path solvedFolder(const std::filesystem::path& run);

// Matrices that are solved, of a run that is finished or not; files of what several share are none.
std::int64_t solvedMatrices(const std::filesystem::path& run);

}  // namespace cospadi
