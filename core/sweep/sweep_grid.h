// A grid of runs: the fields of a run specification (docs/formats.md), each one value or a list.
//
//   {"method": ["svd-llm", "cospadi"], "cr": [0.2, 0.3], "seed": 42,
//    "calibration": {"sequences": [16, 64]}}
// stands for every combination, the last list turning fastest in the order of the file's fields
// sorted by name. {"grids": [{…}, {…}], …} is the union of several, the fields beside "grids"
// being shared by all of them, nested ones one by one.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/evaluation/perplexity.h"
#include "core/lm_eval/planned_tasks.h"
#include "core/store/run_specification.h"

namespace cospadi {

inline constexpr std::size_t kLargestSweep = 100'000;  // runs

// Throws Error naming the field that is unknown, ill-typed or out of range, for an empty list, and
// for more runs than kLargestSweep. Combinations that are equal are kept.
std::vector<RunSpecification> expandGrid(const nlohmann::json& grid);

// What a sweep's file holds beside its grid: {"name": …, "tags": …, "evaluate": …, fields …}.
struct SweepEvaluation {
    std::string text;  // a file, or a word such as wikitext2; empty: no perplexity is measured
    PerplexityOptions options;
    TaskPlan tasks;  // without names: none are asked
};
struct SweepFile {
    nlohmann::json grid;
    std::string name;
    std::vector<std::string> tags;
    SweepEvaluation evaluate;  // in the file a text alone, or an object of these fields
};
// Throws Error naming the field that is unknown or ill-typed; the grid is checked by expandGrid().
SweepFile sweepFile(nlohmann::json file);

// A .json, .yaml or .yml file. Throws Error naming file and, where known, line.
nlohmann::json readGridFile(const std::filesystem::path& path);

}  // namespace cospadi
