// Runs of the store as an `mlruns` folder that MLflow reads: an experiment with a run of its own
// for each, its settings as parameters, results as metrics, errors of matrices by iteration, and
// the files of the run's directory as artefacts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/store/run_store.h"

namespace cospadi {

struct MlflowExportOptions {
    std::string experiment = "CoSpaDi";
    bool matrices = true;  // files of matrices/ among the artefacts
};

struct MlflowExport {
    std::vector<std::filesystem::path> runs;  // EXPERIMENT/RUN
    std::int64_t metrics = 0;                 // names, over all runs
    std::int64_t points = 0;
};

// Into `folder`, which may hold experiments already. A run that was exported before is replaced.
// Metrics: relative_error, bytes, …; perplexity/TEXT; TASK/METRIC; MATRIX/relative_error and
// MATRIX/held_out_error with a point an iteration. Results of one run that would share a name have
// in it what they were measured by differently: TASK/METRIC-100-samples. Throws Error for a folder
// that is no store of MLflow.
MlflowExport exportToMlflow(const std::filesystem::path& folder, const RunStore& store,
                            const std::vector<std::string>& ids,
                            const MlflowExportOptions& options = {});

}  // namespace cospadi
