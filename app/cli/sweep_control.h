// `cospadi sweep cancel`, `resume` and `follow`: what others do of a sweep file, held, started
// again and watched (docs/cluster.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "app/cli/session.h"

namespace cospadi::cli {

// indices: none means all jobs. Where the sweep was handed to Slurm its tasks are cancelled; else
// processes of this machine are asked to end.
int sweepCancel(const Session& session, const std::filesystem::path& file,
                const std::vector<std::int32_t>& indices);

// Submits what is missing, as it was submitted the last time.
int sweepResume(const Session& session, const std::filesystem::path& file);

// Prints the events of a job's run as they are written, until nobody is at work on it.
int sweepFollow(const Session& session, const std::filesystem::path& file, std::int64_t index);

}  // namespace cospadi::cli
