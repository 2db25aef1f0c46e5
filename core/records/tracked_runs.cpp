#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/base/error.h"
#include "core/base/timestamp.h"
#include "core/records/tracked_run.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;

bool isWandbFile(const fs::path& file) {
    std::error_code failed;
    return file.extension() == ".wandb" && fs::is_regular_file(file, failed);
}

// W&B makes a link to its latest run, which is none of its own.
bool isHidden(const fs::directory_entry& entry) {
    return entry.is_symlink() || entry.path().filename().string().starts_with('.');
}

}  // namespace

std::string isoTimeOf(double secondsSinceEpoch) {
    constexpr double kLatest = 253402300799;  // of the year 9999
    if (!(secondsSinceEpoch > 0 && secondsSinceEpoch < kLatest)) {
        return "";
    }
    return utcTimestamp(static_cast<std::time_t>(secondsSinceEpoch));
}

std::vector<TrackedRun> trackedRunsAt(const fs::path& path) {
    std::error_code failed;
    if (!fs::exists(path, failed)) {
        throw Error("does not exist", path.string(),
                    "give a folder of records, or one of its files");
    }
    if (isWandbFile(path)) {
        return {readWandbFile(path)};
    }
    if (isEventFile(path)) {
        return {readEventFolder(fs::absolute(path).parent_path())};
    }
    std::vector<fs::path> mlflow, wandb;
    std::set<fs::path> events;
    const auto look = [&](const fs::path& found) {
        if (isMlflowRun(found)) {
            mlflow.push_back(found);
        } else if (isWandbFile(found)) {
            wandb.push_back(found);
        } else if (isEventFile(found)) {
            events.insert(found.parent_path());
        }
    };
    if (fs::is_directory(path, failed)) {
        look(path);
        fs::recursive_directory_iterator entry(path), end;
        for (; entry != end; ++entry) {
            if (isHidden(*entry)) {
                entry.disable_recursion_pending();
                continue;
            }
            look(entry->path());
        }
    }
    std::sort(mlflow.begin(), mlflow.end());
    std::sort(wandb.begin(), wandb.end());
    std::vector<TrackedRun> runs;
    for (const fs::path& folder : mlflow) {
        runs.push_back(readMlflowRun(folder));
    }
    for (const fs::path& file : wandb) {
        runs.push_back(readWandbFile(file));
    }
    for (const fs::path& folder : events) {
        runs.push_back(readEventFolder(folder));
    }
    if (runs.empty()) {
        throw Error("contains no run of MLflow, W&B or TensorBoard", path.string(),
                    "give an mlruns folder, a wandb folder (offline-run-…/run-ID.wandb), or one "
                    "with event files (events.out.tfevents…)");
    }
    return runs;
}

}  // namespace cospadi
