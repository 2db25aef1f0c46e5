#include "core/run/run_archive.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "core/base/error.h"
#include "core/base/temporary_folder.h"
#include "core/base/temporary_name.h"
#include "core/run/tar_file.h"
#include "core/store/run_directory.h"
#include "core/store/run_id.h"
#include "core/store/run_lock.h"
#include "core/tensors/atomic_file.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;

constexpr std::ptrdiff_t kDeepest = 4;  // ID/evaluations/TASKS/results.json
constexpr const char* kImportFolder = ".import";
constexpr const char* kNoArchive = "give a file written by `cospadi runs export`";

// ID/file, ID/folder/file or ID/evaluations/tasks/file, nothing else: a run has no deeper folders.
void requireSafe(const TarReader& reader, const std::string& name) {
    const fs::path path = name;
    const auto depth = std::distance(path.begin(), path.end());
    const bool climbs = std::any_of(path.begin(), path.end(), [](const fs::path& part) {
        return part == ".." || part == "." || part.empty();
    });
    if (path.is_absolute() || climbs || depth < 2 || depth > kDeepest || name.starts_with('.') ||
        name.find('\\') != std::string::npos) {
        reader.fail(fmt::format("contains \"{}\", which is not a file of a run", name));
    }
}

// Held while the run is packed up: nobody begins to write it meanwhile. Empty where we may not
// write the directory; then it is only looked at.
std::optional<RunLock> lockAgainstWriters(const fs::path& directory) {
    std::optional<RunLock> lock;
    bool mayLock = true;
    try {
        lock = RunLock::tryTake(directory);
    } catch (const Error&) {
        mayLock = false;
    }
    if (!lock && (mayLock || isBeingWritten(directory))) {
        throw Error("the run is being written", directory.string(),
                    "wait until it has finished, or cancel it");
    }
    return lock;
}

void addRun(TarWriter& tar, const RunToArchive& run, const ArchiveOptions& options) {
    const std::optional<RunLock> lock = lockAgainstWriters(run.directory);
    std::vector<fs::path> files;
    // Matrices may lie on another disk, behind a link.
    constexpr auto kFollow = fs::directory_options::follow_directory_symlink;
    for (fs::recursive_directory_iterator entry(run.directory, kFollow), end; entry != end;
         ++entry) {
        const fs::path relative = entry->path().lexically_relative(run.directory);
        const std::string top = relative.begin()->string();
        const bool isWanted = (top != "matrices" || options.matrices) &&
                              (top != "model" || options.model) && top != "run.lock" &&
                              top != kAnnotationsFile &&
                              !isTemporaryName(relative.filename().string());
        if (!isWanted || entry.depth() + 2 >= kDeepest) {  // links may lead in a circle
            entry.disable_recursion_pending();
        }
        if (isWanted && entry->is_regular_file()) {
            files.push_back(relative);
        }
    }
    std::sort(files.begin(), files.end());
    tar.addText(fmt::format("{}/{}", run.id, kAnnotationsFile), annotationsText(run.annotations));
    for (const fs::path& file : files) {
        tar.addFile(fmt::format("{}/{}", run.id, file.string()), run.directory / file);
    }
}

void unpack(TarReader& reader, const fs::path& folder) {
    for (TarEntry entry; reader.next(entry);) {
        if (entry.kind == TarKind::Folder || entry.kind == TarKind::Comment) {
            reader.content(entry, [](std::span<const char>) {});
            continue;
        }
        if (entry.kind != TarKind::File) {
            reader.fail(fmt::format("contains \"{}\", which is not a regular file", entry.name));
        }
        requireSafe(reader, entry.name);
        const fs::path target = folder / entry.name;
        fs::create_directories(target.parent_path());
        AtomicFile file(target);
        reader.content(entry,
                       [&](std::span<const char> bytes) { file.write(std::as_bytes(bytes)); });
        file.commit();
    }
}

RunsFromArchive takeIn(TarReader& reader, const fs::path& archive, const fs::path& runs) {
    // An import that fails leaves nothing behind.
    removeAbandoned(runs, kImportFolder);
    const TemporaryFolder temporary = TemporaryFolder::beside(runs / kImportFolder);
    unpack(reader, temporary.path());
    RunsFromArchive found;
    std::optional<Error> problem;
    for (const auto& entry : fs::directory_iterator(temporary.path())) {
        RunToArchive run;
        run.id = entry.path().filename().string();
        run.directory = runs / run.id;
        requireRunId(run.id, archive.string());             // it names a folder here
        static_cast<void>(readRunDirectory(entry.path()));  // refuses what is no run
        static_cast<void>(readAnnotations(entry.path()));   // or a damaged one
        if (fs::exists(run.directory)) {
            problem.emplace("there is already a run with this name", run.directory.string(),
                            "delete it first with `cospadi runs delete --files`");
            found.refused.emplace_back(problem->what());
            continue;
        }
        found.taken.push_back(std::move(run));
    }
    if (found.taken.empty() && problem) {
        throw Error(*problem);
    }
    if (found.taken.empty()) {
        reader.fail("contains no run");
    }
    std::sort(found.refused.begin(), found.refused.end());
    std::sort(found.taken.begin(), found.taken.end(),
              [](const RunToArchive& a, const RunToArchive& b) { return a.id < b.id; });
    for (const RunToArchive& run : found.taken) {
        fs::rename(temporary.path() / run.id, run.directory);
    }
    return found;
}

}  // namespace

std::int64_t writeRunArchive(const fs::path& out, const std::vector<RunToArchive>& runs,
                             const ArchiveOptions& options) {
    std::error_code ignored;
    if (fs::exists(out, ignored)) {
        throw Error("already exists", out.string(), "give another --out, or delete it first");
    }
    for (const RunToArchive& run : runs) {
        requireRunId(run.id, run.directory.string());
    }
    // Of an export to the same file that was killed.
    removeAbandoned(fs::absolute(out).parent_path(), out.filename().string() + ".tmp.");
    TarWriter tar(out);
    for (const RunToArchive& run : runs) {
        addRun(tar, run, options);
    }
    return tar.commit();
}

RunsFromArchive readRunArchive(const fs::path& archive, const fs::path& runs) {
    TarReader reader(archive, kNoArchive);
    try {
        return takeIn(reader, archive, runs);
    } catch (const fs::filesystem_error& error) {  // e.g. a file where another one needs a folder
        throw Error("cannot be unpacked: " + error.code().message(), archive.string(),
                    "check the runs directory and the archive");
    }
}

}  // namespace cospadi
