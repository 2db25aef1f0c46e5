// The phase of a run that finds which layers share (`--groups adaptive`), before the first matrix.
// What it chose stands in groups.json and is a part of the run from then on, as what is already on
// disk shares so.
#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/calibration/calibration.h"
#include "core/methods/matrix_options.h"
#include "core/model/model.h"

namespace cospadi {

struct GroupingInputs {
    const Model& model;
    const std::vector<LayerInfo>& layers;  // of the run
    const GramSet* grams = nullptr;        // null: none were gathered
    double cr = 0;
    int threads = 0;
};

using LayerGroups = std::vector<std::vector<std::string>>;  // by the layers' names

// Reads `file`, or chooses and writes it, atomically. Empty: no two layers gain by sharing; none
// when stopped. Throws Error naming the file and field that are damaged, and as
// chooseSharedPairs().
std::optional<LayerGroups> groupsOfRun(const GroupingInputs& inputs,
                                       const std::filesystem::path& file,
                                       const ProgressCallback& progress,
                                       const std::stop_token& stop);

}  // namespace cospadi
