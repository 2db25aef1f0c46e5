// What is asked of one layer of a run.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <optional>

#include "core/linalg/backend.h"
#include "core/linalg/whitening.h"
#include "core/model/layer_info.h"

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

}  // namespace cospadi
