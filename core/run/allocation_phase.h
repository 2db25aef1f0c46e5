// The phase of a run that gives every layer its ratio, and its ρ where the run chooses it, before
// the first matrix: by the error curves of core/allocation, which are kept for other runs
// (curve_store.h). What it chose stands in allocation.json (stored_allocation.h).
#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/calibration/calibration.h"
#include "core/calibration/output_grams.h"
#include "core/model/model.h"
#include "core/store/run_specification.h"

namespace cospadi {

struct AllocationInputs {
    const RunSpecification& specification;  // resolved, with an allocation
    Model& model;
    const std::vector<LayerInfo>& layers;  // of the run
    const GramSet* grams = nullptr;        // null: none were gathered
    const OutputGrams* outputs = nullptr;  // null: the errors of outputs count alike
    int threads = 0;
};

// Writes `file`, atomically; the ratios that the specification gives take precedence. What there is
// to warn of, mostly nothing; none when stopped. Throws Error (disk full, no setting that fits the
// budget, …).
std::optional<std::string> chooseAllocation(const AllocationInputs& inputs,
                                            const std::filesystem::path& file,
                                            const ProgressCallback& progress,
                                            const std::stop_token& stop);

}  // namespace cospadi
