// Takes run directories into the store: RunStore's imports, which say more about each. Directories
// are read before the transaction begins that writes them. Private to core/store.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/store/import_summary.h"
#include "core/store/run_row.h"

namespace cospadi {

class StoreDatabase;

// Returns the run's id. notes: may be null. Throws Error where the run's earlier directory still
// holds it.
std::string importRun(const std::filesystem::path& directory, StoreDatabase& database,
                      std::vector<std::string>* notes);

// Read on all cores, many in a transaction; what cannot be read becomes a warning.
ImportSummary importRuns(const std::vector<std::filesystem::path>& directories,
                         StoreDatabase& database, const ProgressCallback& progress);
// Folders directly below, ascending: what importRuns() is to try. Throws Error where `runs` cannot
// be read.
std::vector<std::filesystem::path> runDirectories(const std::filesystem::path& runs);

// Rows that were read, or made, elsewhere: one transaction for all of them.
void importRecords(const std::vector<RunRecord>& records, StoreDatabase& database);

// Rows that say running or paused are read again, or say interrupted where their directory does not
// hold the run any more, or is damaged. notes: may be null. Throws Error where the index takes
// nothing, as while another process writes it; rows then stay as they are.
void refreshUnfinished(StoreDatabase& database, std::vector<std::string>* notes);

}  // namespace cospadi
