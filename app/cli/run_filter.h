// Which stored runs a command means: the same flags for `runs list`, `report` and others.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "core/store/run_store.h"

namespace cospadi::cli {

struct RunSelection {
    RunFilter filter;
    std::string layers;           // exactly this expression
    std::vector<double> cr, rho;  // any of these
};

void addRunFilters(CLI::App& command, RunSelection& selection);

// Newest first.
std::vector<RunRow> selectedRuns(const RunStore& store, const RunSelection& selection);

}  // namespace cospadi::cli
