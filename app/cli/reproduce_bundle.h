// `cospadi reproduce FOLDER`: the runs of a bundle (core/bundle/bundle.h) again on this machine,
// and which of their numbers agree.
#pragma once

#include <filesystem>
#include <string>

#include "app/cli/run_command.h"
#include "app/cli/session.h"

namespace cospadi::cli {

struct BundleOptions {
    std::filesystem::path folder;
    std::string model;  // in the place of the runs' own; empty: that one
    bool dryRun = false;
    double within = 0.01;        // by which part of itself a number may differ
    std::filesystem::path data;  // of tasks; empty: those of task_data.h
    DeviceOptions device;
};

// kOk where all numbers agree, kMissed where one is further apart than `within`, kFailed where a
// run or a number could not be made.
int reproduceBundle(const Session& session, const BundleOptions& options);

}  // namespace cospadi::cli
