// Counts and sums over runs that agree in some fields. Private to core/store.
#pragma once

#include <string>
#include <vector>

#include "core/store/run_filter.h"
#include "core/store/run_group.h"

namespace cospadi {

class StoreDatabase;

// In the order of the fields' values. Throws Error for a field that runs cannot be grouped by
// (RunStore::group() has those there are). filter.limit is ignored.
std::vector<RunGroup> groupRuns(const std::vector<std::string>& fields, const RunFilter& filter,
                                StoreDatabase& database);

}  // namespace cospadi
