// The runs that a sweep is to do: the grid without repetitions, and how far each run is.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/sweep/sweep.h"
#include "core/sweep/sweep_grid.h"

namespace cospadi::cli {

struct SweepPlan {
    std::vector<SweepJob> jobs;
    std::size_t combinations = 0;  // before equal ones are one
};

// Against the runs directory and the stored runs. Throws UsageError where the grid is wrong.
SweepPlan sweepPlan(const SweepFile& file);

// Why there are fewer runs than combinations; empty where there are not.
std::string combinationsText(const SweepPlan& plan);

// What --json says of a job, planned or done.
nlohmann::json jobJson(const SweepJob& job, const std::string& description);

}  // namespace cospadi::cli
