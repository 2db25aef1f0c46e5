// A sweep file as an indexed job of Kubernetes, an index for every task.
#pragma once

#include <filesystem>
#include <string>

#include "core/schedulers/workflow_file.h"

namespace cospadi {

// As workflowFile().
WorkflowFile kubernetesJob(const SweepContract& contract, const SlurmOptions& options,
                           const std::filesystem::path& program);

}  // namespace cospadi
