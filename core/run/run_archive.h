// Runs as one file: a plain tar that any tar opens, with a folder ID/ for each run
// (docs/formats.md) and in it annotations.json, what people added: tags, notes, star.
//
// Written and taken in atomically: the file, and each run directory, appears when it is whole.
// What is read is checked first: names that lead out of their folder, links and devices are
// refused.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/store/run_annotations.h"

namespace cospadi {

struct RunToArchive {
    std::string id;
    std::filesystem::path directory;
    RunAnnotations annotations;  // to be written; what is read stands in the run's own file
};

struct ArchiveOptions {
    bool matrices = true;  // without them a run can be reported, but not evaluated again
    bool model = false;    // the self-contained folder too; it can be made again with `export`
};

// Returns the file's bytes. Throws Error for an existing target, a run that is being written, and a
// full disk; then nothing stands under `out`.
std::int64_t writeRunArchive(const std::filesystem::path& out,
                             const std::vector<RunToArchive>& runs, const ArchiveOptions& options);

struct RunsFromArchive {
    std::vector<RunToArchive> taken;   // by id
    std::vector<std::string> refused;  // why: a run of that name is there already
};

// Unpacks below `runs`. Throws Error where the archive is damaged or not one of runs, or holds none
// that can be taken; then no run of it stands there.
RunsFromArchive readRunArchive(const std::filesystem::path& archive,
                               const std::filesystem::path& runs);

}  // namespace cospadi
