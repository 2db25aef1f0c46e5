// A grid of runs: the fields of a run specification (docs/formats.md), each one value or a list.
//
//   {"method": ["svd-llm", "cospadi"], "cr": [0.2, 0.3], "seed": 42,
//    "calibration": {"sequences": [16, 64]}}
// stands for every combination, the last list turning fastest in the order of the file's fields
// sorted by name. {"grids": [{…}, {…}], …} is the union of several, the fields beside "grids"
// being shared by all of them.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "core/pipeline/run_specification.h"

namespace cospadi {

inline constexpr std::size_t kLargestSweep = 100'000;  // runs

// Throws Error naming the field that is unknown, ill-typed or out of range, for an empty list, and
// for more runs than kLargestSweep. Combinations that are equal are kept.
std::vector<RunSpecification> expandGrid(const nlohmann::json& grid);

// A .json, .yaml or .yml file. Throws Error naming file and, where known, line.
nlohmann::json readGridFile(const std::filesystem::path& path);

}  // namespace cospadi
