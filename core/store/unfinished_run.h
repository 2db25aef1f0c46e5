// What the events of a run without result.json say (docs/formats.md): the matrices that it has
// finished, what they come to, and how far it got.
#pragma once

#include <filesystem>

#include "core/store/run_row.h"

namespace cospadi {

// path: events.jsonl, which may be absent. Events with fields of the wrong type are passed over
// and told in the record's notes.
void readUnfinished(const std::filesystem::path& path, RunRecord& record);

}  // namespace cospadi
