// Reads a run directory (docs/formats.md) into rows. Also runs that never finished: their matrices
// are taken from the events, their status from how the events end.
// Pure functions of the files: no store is needed, nothing is written.
#pragma once

#include <filesystem>
#include <string>

#include "core/store/run_row.h"

namespace cospadi {

// Throws Error where run.json is missing, broken or of a newer format, or gives no id (run_id.h);
// where another of the run's files is broken, the Error names that file. Events with fields of the
// wrong type are passed over and told in `notes`.
// Artefacts and iterations are left out: they take longer than the rest.
RunRecord readRunDirectory(const std::filesystem::path& directory);

// Adds artefacts and, where the run is not at work, iterations. knownStamp: of the events whose
// iterations are stored already; they are not read again while it fits.
void readDetails(const std::string& knownStamp, RunRecord& record);

// The id that DIR/run.json gives; empty where no run stands there, or a damaged one.
std::string runIdIn(const std::filesystem::path& directory);

}  // namespace cospadi
