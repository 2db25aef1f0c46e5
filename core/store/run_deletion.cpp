#include "core/store/run_deletion.h"

#include <filesystem>
#include <optional>

#include "core/base/error.h"
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
    // Without run.json nothing takes it for a run any more, should the rest be interrupted.
    std::filesystem::remove(directory / "run.json");
    std::filesystem::remove_all(directory);
    store.remove(run);
}

}  // namespace cospadi
