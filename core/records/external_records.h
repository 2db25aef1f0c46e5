// A run of an experiment tracker as a run of the store: method `external`, as the results of
// lm-eval that belong to no run here, with nothing that this program measured.
//
//   RUN/records.json     all that the tracker has: parameters, tags, metrics by step
//   (docs/formats.md) RUN/events.jsonl     metrics MATRIX/relative_error as the iterations of that
//   matrix RUN/evaluations/     last values of TASK/acc and TASK/acc_norm as results of tasks
#pragma once

#include <filesystem>

#include "core/lm_eval/task_evaluation.h"
#include "core/records/tracked_run.h"

namespace cospadi {

// Returns the directory. The same run with the same words gives the same one, whatever was added
// to it since replaced. Throws Error as validate() of what is stated.
std::filesystem::path writeTrackedRun(const std::filesystem::path& runs, const TrackedRun& tracked,
                                      const ExternalModel& external = {});

}  // namespace cospadi
