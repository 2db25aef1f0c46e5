// A run's annotations between the store's rows and the run's directory. Private to core/store.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/store/run_annotations.h"

namespace cospadi {

class StoreDatabase;

// In a transaction, but for annotationsOf(): it keeps others from writing the same file.
RunAnnotations annotationsOf(std::int64_t key, StoreDatabase& database);

// Before the rows are changed: the file is the truth, and becomes the rows where the directory
// still holds the run and has one. Throws Error for a damaged one, which the change would replace.
void refreshAnnotations(std::int64_t key, StoreDatabase& database);

// Writes the rows to the run's directory where it still holds the run. Nothing where the directory
// has no annotations and may not be written. Throws Error where they cannot be replaced.
void keepAnnotations(std::int64_t key, StoreDatabase& database);

// The other way: the directory's file becomes the rows; where it has none, the rows are kept there.
// A damaged file leaves the rows and is told in `notes`.
void takeAnnotations(std::int64_t key, StoreDatabase& database, std::vector<std::string>& notes);

}  // namespace cospadi
