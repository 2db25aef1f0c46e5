// The backward pass of the loss over all sequences at once, in memory: what sums over blocks and
// batches are held against.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/base/thread_pool.h"
#include "core/gradients/backward.h"
#include "core/model/forward.h"

namespace cospadi::testing {

using LayerGradients =
    std::function<void(const std::string& layer, const Eigen::Ref<const Eigen::MatrixXf>& X,
                       const Eigen::Ref<const Eigen::MatrixXf>& dY)>;

inline void oneBackwardPass(const Model& model, ThreadPool& pool,
                            const std::vector<std::int32_t>& ids, std::int64_t length,
                            const LayerGradients& use) {
    ForwardPass forward(model, pool);
    std::vector<Eigen::MatrixXf> residuals = {forward.embed(ids)};
    for (std::int64_t block = 0; block < model.config().blocks; ++block) {
        Eigen::MatrixXf residual = residuals.back();
        forward.runBlock(block, residual, length);
        residuals.push_back(residual);
    }
    BackwardPass backward(model, pool);
    Eigen::MatrixXf gradient = backward.ofLoss(residuals.back(), ids, length);
    for (std::int64_t block = model.config().blocks - 1; block >= 0; --block) {
        backward.runBlock(block, residuals[static_cast<std::size_t>(block)], length, gradient, use);
    }
}

}  // namespace cospadi::testing
