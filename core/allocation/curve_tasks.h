// What is to be measured of a model for its curves (curve_measurement.h), in parts that can be done
// and kept one by one.
#pragma once

#include <vector>

#include "core/allocation/curve_grid.h"
#include "core/allocation/curve_store.h"
#include "core/methods/matrix_options.h"
#include "core/model/layer_info.h"

namespace cospadi {

// At which it is measured what the errors of every matrix cost.
inline constexpr double kProbedRatio = kLevelRatios.front();

// A matrix, and what is to be solved of it.
struct CurveTask {
    const LayerInfo* layer = nullptr;
    std::vector<TrialSetting> settings;  // not empty
    bool isProbed = false;               // the one at kProbedRatio is
};

// Matrices that are solved one by one.
struct GroupTask {
    std::vector<LayerInfo> layers;  // not empty
    TrialSetting at;
    bool isProbed = false;  // with all of them in their places at once
};

TrialSetting trialAt(double cr, const MatrixOptions& options);
bool isStorableAt(const LayerInfo& layer, double cr, const MatrixOptions& options);

// Every matrix at the level ratios, those of the sampled blocks first, and of these the ones in the
// middle: what is told of the others from a few is told by them. Tasks point to the layers.
std::vector<CurveTask> levelTasks(const std::vector<LayerInfo>& layers,
                                  const MatrixOptions& options);
// Every matrix that has a form there at kProbedRatio alone.
std::vector<CurveTask> probeTasks(const std::vector<LayerInfo>& layers,
                                  const MatrixOptions& options);
// What all trials of a kind cost together at the level ratios. Of attention's values, which are
// small, whole solves, too: what iterations gain there the predictions do not see
// (docs/decisions/0015-whole-model-predictions.md).
std::vector<GroupTask> kindTasks(const std::vector<LayerInfo>& layers,
                                 const MatrixOptions& options);
// Where that takes no minutes, whole solves of the blocks in the middle, a ratio a block.
std::vector<GroupTask> endTasks(const std::vector<LayerInfo>& layers, const MatrixOptions& options);
// The sampled blocks at the shape ratios.
std::vector<CurveTask> shapeTasks(const std::vector<LayerInfo>& layers,
                                  const MatrixOptions& options);

}  // namespace cospadi
