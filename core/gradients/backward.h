// The backward pass: gradients with respect to what the linear layers give out, block by block from
// the last to the first, of the loss on a text or of the divergence from another model's
// predictions. With a layer's input beside it, X dYᵀ (d1, d2) is the gradient of its weight.
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

// X (d1, N), the input of the layer of this name, and dY (d2, N).
using LayerGradientHook =
    std::function<void(const std::string& layer, const Eigen::Ref<const Eigen::MatrixXf>& X,
                       const Eigen::Ref<const Eigen::MatrixXf>& dY)>;

class BackwardPass {
  public:
    // Both must outlive the pass.
    BackwardPass(const Model& model, ThreadPool& pool);

    // The gradient (hidden, N) with respect to `residual` (hidden, N), what the last block leaves,
    // of L = Σ −log p(next token), natural logarithm, over all tokens but the last of each
    // sequence. loss: becomes L where it is asked for.
    Eigen::MatrixXf ofLoss(const Eigen::MatrixXf& residual, std::span<const std::int32_t> ids,
                           std::int64_t length, double* loss = nullptr);

    // The same of L = Σ KL(p ‖ q) over all tokens, q the predictions after `residual` and p those
    // of the same head after `teacher` (hidden, N), hidden states behind the final norm
    // (ForwardPass::hiddenStates). divergence: becomes L, in nats, where it is asked for.
    Eigen::MatrixXf ofDivergence(const Eigen::MatrixXf& residual,
                                 const Eigen::Ref<const Eigen::MatrixXf>& teacher,
                                 double* divergence = nullptr);

    // residual: the input of the block. gradient (hidden, N): with respect to its output, and then
    // to its input. The hook is told of the layers from the last to the first.
    void runBlock(std::int64_t block, const Eigen::MatrixXf& residual, std::int64_t length,
                  Eigen::MatrixXf& gradient, const LayerGradientHook& hook);

  private:
    // Of a token by its logits (vocabulary), in whose place their gradient is put: its loss.
    using LogitGradient = std::function<double(std::int64_t token, float* logits)>;
    // The gradient with respect to `residual` of a sum over tokens, which `sum` becomes.
    Eigen::MatrixXf throughHead(
        const Eigen::MatrixXf& residual, const LogitGradient& ofToken,
        const std::function<void(std::int64_t begin, std::int64_t count)>& beforeTile, double* sum);
    Eigen::Map<const Eigen::MatrixXf> headAsFloats();  // (hidden, vocabulary)
    // (vocabulary, n) of columns behind the final norm.
    void logitsOf(const Eigen::Ref<const Eigen::MatrixXf>& hidden, Eigen::MatrixXf& logits) const;
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
    Eigen::MatrixXf m_head;  // of one that is not kept as floats, once gradients go through it
};

}  // namespace cospadi
