// The backward pass: gradients of the loss on a text with respect to what the linear layers give
// out, block by block from the last to the first. Weights get none: nothing is trained here; the
// gradients say which directions of an output the predictions depend on (output_grams.h).
//
// Layout as in core/model/forward.h: a token a column, sequences of one length side by side. What a
// block computed on its way forward is computed once more. float32; results do not depend on the
// number of threads. The pool must not run anything else meanwhile.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/thread_pool.h"
#include "core/model/forward.h"
#include "core/model/model.h"
#include "core/model/rotary_table.h"

namespace cospadi {

// dY (d2, N) of the layer of this name.
using OutputGradientHook =
    std::function<void(const std::string& layer, const Eigen::Ref<const Eigen::MatrixXf>& dY)>;

class BackwardPass {
  public:
    // Both must outlive the pass.
    BackwardPass(const Model& model, ThreadPool& pool);

    // The gradient (hidden, N) with respect to `residual` (hidden, N), what the last block leaves,
    // of L = Σ −log p(next token), natural logarithm, over all tokens but the last of each
    // sequence. loss: becomes L where it is asked for.
    Eigen::MatrixXf ofLoss(const Eigen::MatrixXf& residual, std::span<const std::int32_t> ids,
                           std::int64_t length, double* loss = nullptr);

    // residual: the input of the block. gradient (hidden, N): with respect to its output, and then
    // to its input. The hook is told of the layers from the last to the first.
    void runBlock(std::int64_t block, const Eigen::MatrixXf& residual, std::int64_t length,
                  Eigen::MatrixXf& gradient, const OutputGradientHook& hook);

  private:
    // W dY: the gradient of the layer's input.
    Eigen::MatrixXf throughLayer(std::int64_t block, std::string_view kind,
                                 const Eigen::MatrixXf& dY);
    // Adds W dY.
    void addThroughLayer(std::int64_t block, std::string_view kind, const Eigen::MatrixXf& dY,
                         Eigen::MatrixXf& sum);
    // Through rotation and the heads' norm, in place.
    void throughHeads(const Eigen::MatrixXf& x, const Eigen::Map<const Eigen::VectorXf>& norm,
                      std::int64_t length, Eigen::MatrixXf& gradient);

    const Model& m_model;
    ThreadPool& m_pool;
    ForwardPass m_forward;
    RotaryTable m_rotary;
};

}  // namespace cospadi
