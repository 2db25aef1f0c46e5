// What is asked of a layer of a run, or of layers that share.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <optional>
#include <vector>

#include "core/linalg/backend.h"
#include "core/linalg/whitening.h"
#include "core/methods/layer_groups.h"

namespace cospadi {

// A layer's weight, what its stored form shall approximate where that is another one, and in which
// metric: none for the plain one. A source factorises the metric where the backend computes that
// the layer is compressed on.
struct LayerProblem {
    Eigen::MatrixXf weight;                 // (d1, d2)
    std::optional<Eigen::MatrixXf> target;  // (d1, d2)
    std::optional<Whitening> whitening;
};
using LayerProblemSource = std::function<LayerProblem(const LayerInfo&, Backend&)>;

// Those of a unit, in its order. common: the metric that several are solved in, none for the plain
// one; each is measured in its own. A unit of one has its layer's.
struct UnitProblem {
    std::vector<LayerProblem> layers;
    std::optional<Whitening> common;

    // What is solved for: the layer's target, or the weights side by side, (d1, Σ d2).
    Eigen::MatrixXf target() const;
    const Whitening* metric() const;
};
using UnitProblemSource = std::function<UnitProblem(const LayerUnit&, Backend&)>;

// Of layers one by one; for units of one.
UnitProblemSource oneByOne(LayerProblemSource source);

}  // namespace cospadi
