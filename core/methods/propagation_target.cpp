#include "core/methods/propagation_target.h"

#include <Eigen/Cholesky>

#include "core/base/error.h"

namespace cospadi {

Eigen::MatrixXf propagationTarget(const Eigen::MatrixXf& w, const LayerInputs& inputs,
                                  double shrinkage) {
    Eigen::MatrixXd correction = inputs.drift * w.cast<double>();
    if (inputs.residualDrift.size() > 0) {
        correction += inputs.residualDrift;
    }
    Eigen::MatrixXd metric = inputs.gram;
    metric.diagonal().array() += shrinkage * metric.diagonal().mean();
    const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> factor(metric);
    if (factor.info() != Eigen::Success) {
        throw Error("the Gram matrix of the propagated inputs is singular", "propagation",
                    "use more calibration text, or --propagation input");
    }
    factor.solveInPlace(correction);
    return w + correction.cast<float>();
}

}  // namespace cospadi
