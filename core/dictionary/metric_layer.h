// A layer whose error counts in the metric of its own inputs, where several share a dictionary:
// ‖L (W − D S)‖, LᵀL = G. Metrics that differ do not fold into one whitened weight.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "core/linalg/whitening.h"

namespace cospadi {

struct MetricLayer {
    Eigen::MatrixXf weight;  // W_i (d1, d2_i), finite and not zero
    Whitening metric;        // of its inputs, with the ridge
};

// [W_1 W_2 …], (d1, Σ d2_i). Precondition: one layer at least, all of one d1.
Eigen::MatrixXf sideBySide(const std::vector<MetricLayer>& layers);

}  // namespace cospadi
