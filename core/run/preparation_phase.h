// What a run finds out before its first matrix, one phase after the other: sums of its text, which
// layer may keep how many bytes, which layers share, what errors of each cost. Only what the
// specification asks for; all but the sums stand in files of the run from then on.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/methods/matrix_options.h"
#include "core/model/model.h"
#include "core/run/calibration_phase.h"
#include "core/run/layer_problem.h"
#include "core/run/run_backends.h"
#include "core/run/run_events.h"
#include "core/run/run_reporter.h"
#include "core/run/stored_allocation.h"
#include "core/store/run_specification.h"

namespace cospadi {

struct RunPreparation {
    CalibrationMeasurements text;
    std::map<std::string, AllocatedLayer> allocation;  // empty: the specification's for all
    MatrixOptions units;                               // which layers share
    std::map<std::string, double> costs;               // by layer; empty: all errors cost alike
    double seconds = 0;                                // of this start, without the text's

    // The source's problems with the metrics of their outputs, and the costs of their errors, where
    // there are any. Neither this nor the source is copied: both must outlive the result.
    UnitProblemSource complete(const UnitProblemSource& source) const;
};

struct PreparationInputs {
    const RunSpecification& specification;  // resolved
    const std::filesystem::path& directory;
    Model& model;                          // as before afterwards
    const std::vector<LayerInfo>& layers;  // of the run
    RunBackends& backends;
    RunReporter& report;
    int threads = 0;  // 0: all cores
    PauseGate* gate = nullptr;
};

// nullopt when cancelled. It can be paused wherever it tells how far it is. Errors as those of the
// phases.
std::optional<RunPreparation> prepareRun(const PreparationInputs& inputs,
                                         const std::stop_token& stop);

}  // namespace cospadi
