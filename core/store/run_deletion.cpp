#include "core/store/run_deletion.h"

#include <filesystem>
#include <optional>

#include "core/base/error.h"
#include "core/base/folder_path.h"
#include "core/store/run_lock.h"

namespace cospadi {

void deleteRunWithFiles(RunStore& store, const std::string& run) {
    const std::filesystem::path directory = store.directoryOf(run);
    // Held until the files are gone: nobody begins to write among them.
    const std::optional<RunLock> lock = RunLock::tryTake(directory);
    if (!lock) {
        throw Error("the run " + run + " is being written", directory.string(),
                    "wait until it has finished, or cancel it");
    }
    try {
        // A run that was moved to another disk with a link in its place: both go.
        const std::filesystem::path files = std::filesystem::canonical(directory);
        // Without run.json nothing takes it for a run any more, should the rest be interrupted.
        std::filesystem::remove(files / "run.json");
        std::filesystem::remove_all(files);
        std::filesystem::remove(withoutTrailingSlash(directory));
    } catch (const std::filesystem::filesystem_error& error) {
        throw Error("cannot be deleted: " + error.code().message(), error.path1().string(),
                    "check the permissions of the run's folder and of the one that it is in");
    }
    store.remove(run);
}

}  // namespace cospadi
