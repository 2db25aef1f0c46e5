// All that a measurement of curves (curve_measurement.h) is to do, and how much of it a store knows
// already.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/allocation/curve_store.h"
#include "core/allocation/curve_tasks.h"
#include "core/methods/matrix_options.h"
#include "core/model/layer_info.h"

namespace cospadi {

// By which a store knows texts: of the probes, of the whole model, and of groups of matrices.
struct CurveTexts {
    std::string probe, whole, group;
};

struct CurvePlan {
    std::vector<CurveTask> levels;
    std::span<const double> wholeRatios;  // at which all layers are tried at once
    std::vector<GroupTask> groups;        // of kinds, and whole solves of blocks
    std::vector<CurveTask> shapes;
};

// Tasks point to the layers.
CurvePlan planOfCurves(const std::vector<LayerInfo>& layers, const MatrixOptions& options);
// Of measureProbes().
CurvePlan planOfProbes(const std::vector<LayerInfo>& layers, const MatrixOptions& options);

// In trials, whole solves and probes.
std::int64_t unitsOf(const CurvePlan& plan);
// Those of them that the store does not hold.
std::int64_t missingUnits(const CurvePlan& plan, const CurveStore& store, const CurveTexts& texts,
                          const MatrixOptions& options);
bool isKnown(const GroupTask& task, const CurveStore& store, const CurveTexts& texts);

}  // namespace cospadi
