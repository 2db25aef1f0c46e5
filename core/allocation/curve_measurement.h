// Measuring the curves of a whole model (model_curves.h), so that there is soon something to go by
// and, minutes later, all of it:
//
//   1  four blocks, every kind: trials at the two level ratios of curve_grid.h, and what the error
//      at the larger one costs. An estimate of every matrix follows.
//   2  the same of all other matrices, then the whole model with all trials of a ratio at once:
//      how the sum of single costs compares with what the text's loss does.
//   3  what all trials of a kind cost at once, and whole solves of attention's values; of two
//      blocks, solves to the end; of the four, trials at the shape ratios.
//
// Trials are the knapsack's, on one thread each, side by side. What the store knows is not measured
// again; it is saved every few seconds, so that whoever stops loses little and starts where it was.
#pragma once

#include <functional>
#include <span>
#include <stop_token>
#include <vector>

#include "core/allocation/curve_store.h"
#include "core/base/progress.h"
#include "core/base/thread_pool.h"
#include "core/calibration/calibration.h"
#include "core/methods/matrix_options.h"
#include "core/model/model.h"

namespace cospadi {

struct CurveProblem {
    Model& model;  // as before afterwards
    ThreadPool& pool;
    const GramSet* grams;  // null for a method without calibration
    const std::vector<LayerInfo>& layers;
    const MatrixOptions& options;  // cr does not count; a method with a ratio
    // Sequences of kProbeLength and kWholeLength tokens (probe_text.h).
    std::span<const std::int32_t> probeText;
    std::span<const std::int32_t> wholeText;
};

// The probes of the first two steps alone, of all layers that have a form at kProbedRatio
// (curve_tasks.h): what an error of each costs. As measureCurves().
bool measureProbes(const CurveProblem& problem, CurveStore& store,
                   const ProgressCallback& progress = {}, const std::stop_token& stop = {});

// False when cancelled. progress: of the stage "curves", after every few matrices; the store then
// holds what was measured by then. Throws Error as compressMatrix().
bool measureCurves(const CurveProblem& problem, CurveStore& store,
                   const ProgressCallback& progress = {}, const std::stop_token& stop = {});

}  // namespace cospadi
