// What a run directory says as rows of the store. Private to core/store.
#pragma once

#include <string>
#include <vector>

#include "core/store/run_row.h"

namespace cospadi {

class StoreDatabase;

// In a transaction. Takes the place of all rows that the run has, but for iterations where those
// that are stored are still right. Tags, notes, star and archive mark are not the record's: they
// are taken over by takeAnnotations() (annotation_rows.h), which tells in `notes`.
void writeRecord(const RunRecord& record, StoreDatabase& database, std::vector<std::string>& notes);

}  // namespace cospadi
