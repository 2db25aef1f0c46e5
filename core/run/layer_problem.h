// What is asked of a layer of a run, or of layers that share.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <optional>
#include <vector>

#include "core/linalg/backend.h"
#include "core/linalg/whitening.h"
#include "core/methods/layer_groups.h"
#include "core/methods/method.h"
#include "core/methods/output_metric.h"

namespace cospadi {

// A layer's weight, what its stored form shall approximate where that is another one, and in which
// metric: none for the plain one. A source factorises the metric where the backend computes that
// the layer is compressed on.
struct LayerProblem {
    Eigen::MatrixXf weight;                 // (d1, d2)
    std::optional<Eigen::MatrixXf> target;  // (d1, d2)
    std::optional<Whitening> whitening;
    std::optional<Whitening> heldOut{};          // of inputs that are not fitted, to measure in
    std::optional<OutputMetric> outputs{};       // none: every output counts alike
    std::optional<Eigen::VectorXd> rowFisher{};  // as MatrixProblem has it; where it was measured
    double cost = 1;                             // as UnitPart has it
};
using LayerProblemSource = std::function<LayerProblem(const LayerInfo&, Backend&)>;

// Those of a unit, in its order. Several are solved as one, W_G in the metric `common`, none for
// the plain one or where outputs share, and measured each in its own; a unit of one has its
// layer's.
struct UnitProblem {
    std::vector<LayerProblem> layers;
    bool overOutputs = false;
    Eigen::MatrixXf whole;  // W_G: see sideBySideOf() and stackedOf(); empty for a unit of one
    std::optional<Whitening> common;
    std::optional<Whitening> commonHeldOut;
    std::optional<OutputMetric> commonOutputs{};  // of layers side by side
    // What is stored of a unit of one, where that follows from the whole model; null: it is solved.
    StoredWeightPtr found{};

    const Eigen::MatrixXf& target() const;  // what is solved for
    const Whitening* metric() const;
    const OutputMetric* outputs() const;  // null: alike, or by parts
    // Of a unit of several; empty for a unit of one.
    std::vector<UnitPart> parts() const;
    const Whitening* heldOut() const;  // null where nothing is held out
    // Σ_j Î_ij over the columns of all layers; none where it was not measured.
    std::optional<Eigen::VectorXd> rowFisher() const;
};
using UnitProblemSource = std::function<UnitProblem(const LayerUnit&, Backend&)>;

// [W_1 … W_m], (d1, Σ d2).
Eigen::MatrixXf sideBySideOf(const std::vector<LayerProblem>& layers);
// The layers one below the other, (Σ d1, d2).
Eigen::MatrixXf stackedOf(const std::vector<LayerProblem>& layers);

// Of layers one by one; for units of one.
UnitProblemSource oneByOne(LayerProblemSource source);

}  // namespace cospadi
