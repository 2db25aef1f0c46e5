// A run as experiment trackers keep it: MLflow's folders, W&B's offline files, TensorBoard's event
// files. Read from their files alone; none of these programs is needed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace cospadi {

struct TrackedPoint {
    std::int64_t step = 0;
    double value = 0;  // NaN and ±inf as they were logged
};

struct TrackedRun {
    std::string tracker;  // "mlflow", "wandb", "tensorboard"
    std::string id;       // the tracker's; of TensorBoard, which has none, the folder's name
    std::string name;
    std::string project;  // experiment of MLflow, project of W&B; may be empty
    std::string created;  // ISO 8601, UTC; empty where it does not say
    std::string status;   // finished, failed, cancelled, interrupted
    std::map<std::string, std::string> parameters;
    std::vector<std::string> tags;  // "KEY=VALUE" of MLflow; those of its own accord left out
    // By name, in the order in which they were logged.
    std::map<std::string, std::vector<TrackedPoint>> metrics;
    std::filesystem::path source;    // its folder or file
    std::vector<std::string> notes;  // what was passed over, and why
};

// Every run at or below a path: of an `mlruns` folder, an experiment or a run of it; of a `wandb`
// folder, one of its run folders or a .wandb file; of TensorBoard's log folder or an event file.
// Throws Error where nothing of that kind is there, and naming the file that is damaged.
std::vector<TrackedRun> trackedRunsAt(const std::filesystem::path& path);

// The readers by tracker.
bool isMlflowRun(const std::filesystem::path& folder);
TrackedRun readMlflowRun(const std::filesystem::path& folder);
// A .wandb file. What was written after the last whole record is passed over and told.
TrackedRun readWandbFile(const std::filesystem::path& file);
bool isEventFile(const std::filesystem::path& file);
// All event files of a folder, not of those below it.
TrackedRun readEventFolder(const std::filesystem::path& folder);

// "2026-11-23T14:00:00Z" of seconds since 1970; empty where that is no time.
std::string isoTimeOf(double secondsSinceEpoch);

}  // namespace cospadi
