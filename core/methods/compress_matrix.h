// One weight matrix in, its stored form out, by whichever method the options name, and the error
// that is reported for every method.
#pragma once

#include <optional>

#include "core/methods/method.h"

namespace cospadi {

// w (d1, d2). whitening: nullptr for plain error; the error is whitened where it is given, also for
// the data-free methods, so that all methods are reported on the same scale. heldOut: the metric of
// inputs that are not fitted, in which errors are told as well, at every iteration of a method that
// has some and at the end; null for none. It never changes what is found. Throws Error for a weight
// that holds NaN or infinity, or a method that lacks its calibration.
CompressedMatrix compressMatrix(Backend& backend, const Eigen::MatrixXf& w,
                                const Whitening* whitening, const MatrixOptions& options,
                                const IterationCallback& callback = {},
                                const std::stop_token& stop = {},
                                const Whitening* heldOut = nullptr);

// The metric with the options' ridge, which the method solves in; nullopt where there is none, or
// the method solves in no metric.
std::optional<Whitening> ridgedMetric(Backend& backend, const Whitening* whitening,
                                      const MatrixOptions& options);

// ‖L (W − W̃)‖_F / ‖L W‖_F, without whitening ‖W − W̃‖_F / ‖W‖_F: the error that is reported for
// every method.
double storedError(Backend& backend, const Eigen::MatrixXf& w, const Whitening* whitening,
                   const StoredWeight& stored);

}  // namespace cospadi
