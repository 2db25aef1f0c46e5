// The phase of a run that finds what errors of its layers cost the predictions (`--group-metric
// probed`), before the first matrix: by probes that are kept for other runs (curve_store.h). What
// it found stands in costs.json and is a part of the run from then on.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/calibration/calibration.h"
#include "core/model/model.h"
#include "core/store/run_specification.h"

namespace cospadi {

struct CostInputs {
    const RunSpecification& specification;  // resolved
    Model& model;                           // as before afterwards
    const std::vector<LayerInfo>& layers;   // of the run
    const GramSet& grams;
    int threads = 0;
};

// By layer name: UnitPart::cost. Reads `file`, or measures and writes it, atomically. nullopt when
// stopped. Throws Error naming the file and field that are damaged, and as measureErrorCosts().
std::optional<std::map<std::string, double>> costsOfRun(const CostInputs& inputs,
                                                        const std::filesystem::path& file,
                                                        const ProgressCallback& progress,
                                                        const std::stop_token& stop);

}  // namespace cospadi
