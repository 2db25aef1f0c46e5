// A layer compressed on trial: by the method of the run with a short schedule, at one ratio after
// the other.
#pragma once

#include <optional>
#include <stop_token>

#include "core/calibration/calibration.h"
#include "core/methods/compress_matrix.h"
#include "core/model/model.h"

namespace cospadi {

constexpr int kTrialIterations = 6;
// Where ρ is chosen: more atoms than dimensions need more of them to show what they are worth
// (docs/decisions/0014-rho-by-matrix.md).
constexpr int kRhoTrialIterations = 12;

// Factorising the Gram takes as long as a trial of a small matrix: once for all of a layer's.
struct TrialLayer {
    Eigen::MatrixXf weight;  // W (d1, d2)
    std::optional<Whitening> whitening;
};

// grams: null for a method without calibration.
TrialLayer trialLayer(const Model& model, const GramSet* grams, const LayerInfo& layer);

// On one thread. Termination::Cancelled, and no weight, where it was stopped; errors as
// compressMatrix() throws them.
CompressedMatrix compressedOnTrial(const TrialLayer& layer, MatrixOptions options, double cr,
                                   int iterations, const std::stop_token& stop);

}  // namespace cospadi
