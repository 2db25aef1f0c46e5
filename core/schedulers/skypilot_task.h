// A sweep file as a task of SkyPilot, whose nodes share what is left among themselves.
#pragma once

#include <filesystem>
#include <string>

#include "core/schedulers/workflow_file.h"

namespace cospadi {

// As workflowFile().
WorkflowFile skypilotTask(const SweepContract& contract, const SlurmOptions& options,
                          const std::filesystem::path& program);

}  // namespace cospadi
