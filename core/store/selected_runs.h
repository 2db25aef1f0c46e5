// Runs out of the store's rows, each with its tags, its latest note, evaluations and task results.
// Private to core/store.
#pragma once

#include <string>
#include <vector>

#include "core/store/run_filter.h"
#include "core/store/run_row.h"

namespace cospadi {

class StoreDatabase;

// Newest first.
std::vector<RunRow> selectRuns(const RunFilter& filter, StoreDatabase& database);

// run: as of StoreDatabase::keyOf(), which throws Error where it is not one run.
RunRow findRun(const std::string& run, StoreDatabase& database);

}  // namespace cospadi
