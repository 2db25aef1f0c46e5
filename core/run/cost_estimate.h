// What a run will roughly cost before it starts: floating-point work of its solver, counted from
// the steps it takes, and the memory it needs. Seconds come from dividing by a rate, which is best
// taken from runs that this machine has done.
#pragma once

#include <vector>

#include "core/methods/layer_groups.h"
#include "core/model/layer_info.h"
#include "core/store/run_specification.h"

namespace cospadi {

// Floating-point operations of compressing one matrix, or a unit of them; 0 for a setting without a
// budget.
double solverWork(const MatrixOptions& options, std::int64_t d1, std::int64_t d2);
double solverWork(const MatrixOptions& options, const LayerUnit& unit);
// The share of it that every iteration does; 0 where it is not known. What comes before the first
// counts with what comes after the last, the values' fit.
double shareOfAnIteration(const MatrixOptions& options, const LayerUnit& unit);
// Of these layers, in their units.
double solverWork(const RunSpecification& specification, const std::vector<LayerInfo>& layers);

// Operations of what an allocation measures before the first matrix, and of the trials by which ρ
// is chosen; 0 for the uniform one with a given ρ.
double allocationWork(const RunSpecification& specification, const std::vector<LayerInfo>& layers);

// Operations of the calibration pass over these layers (forward products and Grams).
double calibrationWork(const CalibrationSpecification& calibration,
                       const std::vector<LayerInfo>& layers);
// Those that it goes over: of all blocks up to the last of which one is compressed.
std::vector<LayerInfo> calibratedLayers(const std::vector<LayerInfo>& compressed,
                                        std::vector<LayerInfo> allLayers);
// Whether what that comes to is kept on disk already. Reads the model and the text, for their
// hashes; false where it cannot.
bool isCalibrationKept(const RunSpecification& specification);
// Operations of the gradients for a metric of the outputs; 0 where the run has none.
double gradientWork(const RunSpecification& specification, const std::vector<LayerInfo>& allLayers);
// Operations of refining factors by the predictions; 0 where the run is not refined.
double refinementWork(const RunSpecification& specification,
                      const std::vector<LayerInfo>& allLayers);
// Operations of following the errors along the forward pass instead, in every run anew; 0 for off.
double propagationWork(const RunSpecification& specification,
                       const std::vector<LayerInfo>& allLayers);

// Operations a second and core to expect of calibration where none has been measured; of solving it
// is Method::workRate().
double usualCalibrationRate();

// Bytes at the peak: of the sums of one block; of the matrices in work side by side, one a core; or
// of writing the model's embedding. A run in which compressed layers are tried, or followed, in the
// model holds all of that as float32 besides. layers: those that are compressed.
double memoryEstimate(const RunSpecification& specification, const std::vector<LayerInfo>& layers,
                      const std::vector<LayerInfo>& allLayers, double modelParameters, int cores);

}  // namespace cospadi
