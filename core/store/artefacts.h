// The files of a run directory and what they are: what the store lists as artefacts.
#pragma once

#include <filesystem>
#include <vector>

#include "core/store/run_row.h"

namespace cospadi {

// Every regular file below `directory`, by path; no links, no lock, nothing half-written. A file
// that stands under two names (matrices/ and model/ share theirs) is listed once, so that the bytes
// add up to what the run takes on disk. What cannot be read is left out.
std::vector<ArtefactRow> listArtefacts(const std::filesystem::path& directory);

}  // namespace cospadi
