// The forward pass: float32 matrix products, float64 where it decides accuracy (sums of RMSNorm and
// of softmax denominators), causal attention, many sequences of one length at a time.
//
// Token ids are given sequence after sequence; column s·length + t of a hidden matrix (hidden, N)
// is token t of sequence s, at position t: every sequence stands alone and begins at position 0.
// extend() instead continues sequences of any length from their key/value caches.
// Results do not depend on the number of threads. The pool must not run anything else meanwhile.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/thread_pool.h"
#include "core/model/key_value_cache.h"
#include "core/model/model.h"
#include "core/model/token_likelihood.h"

namespace cospadi {

class DeviceProducts;

// X (d1, N): the input of the linear layers that share this Gram key (see LayerInfo::gramKey).
using LinearInputHook =
    std::function<void(const std::string& gramKey, const Eigen::Ref<const Eigen::MatrixXf>& X)>;

// residual (hidden, N) after a block; block -1 is the embedding's output.
using ResidualHook =
    std::function<void(std::int64_t block, const Eigen::Ref<const Eigen::MatrixXf>& residual)>;

struct ForwardHooks {
    LinearInputHook linearInput;
    ResidualHook residual;
};

// How far runBlock() goes: to the inputs of these linear layers, or through the block.
enum class BlockStage { QueryKeyValue, AttentionOutput, GateUp, Down, Whole };

// Where a layer of this kind (kLayerKinds) gets its input.
BlockStage stageOf(std::string_view kind);

// What a block computes on its way, a token a column: what gradients through it are made of.
struct BlockTrace {
    Eigen::MatrixXf q, k, v;             // as the layers give them, with their biases
    Eigen::MatrixXf rotatedQ, rotatedK;  // after the heads' norm, where there is one, and rotation
    Eigen::MatrixXf residual;            // behind the attention
    // Inputs of q, k and v, of attn_output, and of gate and up.
    Eigen::MatrixXf attentionInput, attended, feedForwardInput;
    Eigen::MatrixXf gate, up;  // before the activation
};

// New tokens of one sequence, after those that its cache holds.
struct Continuation {
    KeyValueCache* cache = nullptr;
    std::span<const std::int32_t> ids;
};

// Of the hidden states that go through a deferred model together, block by block.
inline constexpr std::int64_t kHiddenBytes = std::int64_t{512} << 20;

class ForwardPass {
  public:
    // All must outlive the pass. Layers replaced in the model are seen by the next call; with
    // `products`, which take over what pays on a device, once these were told to forget().
    ForwardPass(const Model& model, ThreadPool& pool, DeviceProducts* products = nullptr);
    ~ForwardPass();
    ForwardPass(const ForwardPass&) = delete;
    ForwardPass& operator=(const ForwardPass&) = delete;

    // The whole stack: (hidden, N) after the final norm. ids.size() must be a multiple of length;
    // an id outside the vocabulary is an Error.
    Eigen::MatrixXf hiddenStates(std::span<const std::int32_t> ids, std::int64_t length,
                                 const ForwardHooks& hooks = {});

    // Continues every sequence of the batch and adds its new tokens to its cache: (hidden, N) after
    // the final norm, N the number of all new ids, continuation after continuation. The caches must
    // be different ones. After an Error the caches hold what they held before.
    Eigen::MatrixXf extend(std::span<const Continuation> batch);

    // The same in steps, for work that goes block by block. The residual is what a layer's output
    // is added to: while the hook is told of attn_output or ffn_down, and after a stage that is not
    // Whole, it stands as it is there. extendBlock() is a step of extend(), the residual of all new
    // tokens on its way; the caches are of one block each, and hold what they have of this one.
    Eigen::MatrixXf embed(std::span<const std::int32_t> ids) const;
    void extendBlock(std::int64_t block, std::span<const Continuation> batch,
                     Eigen::MatrixXf& residual);
    void runBlock(std::int64_t block, Eigen::MatrixXf& residual, std::int64_t length,
                  const LinearInputHook& linearInput = {}, BlockStage until = BlockStage::Whole);
    // residual: the input of the block, whole sequences of `length` tokens. Without products.
    BlockTrace trace(std::int64_t block, const Eigen::MatrixXf& residual, std::int64_t length);
    Eigen::MatrixXf finalNorm(const Eigen::Ref<const Eigen::MatrixXf>& residual);
    // Of a deferred model: frees what can be made again, on a device as well.
    void letGo();
    // Several batches through the model, one block of which needs to be in memory at a time: every
    // block in turn is made, step(block, batch) is called for every batch, and it is let go. False
    // when stopped, which is polled before every step.
    bool forEachBlock(std::size_t batches,
                      const std::function<void(std::int64_t block, std::size_t batch)>& step,
                      const std::stop_token& stop = {});

    // Logits (vocabulary, n) of n columns of hiddenStates(). Mind the size.
    Eigen::MatrixXf logits(const Eigen::Ref<const Eigen::MatrixXf>& hidden);

    // How likely tokens are after columns of hiddenStates(), see token_likelihood.h; queries stand
    // in ascending order of column.
    std::vector<TokenLikelihood> likelihoods(const Eigen::Ref<const Eigen::MatrixXf>& hidden,
                                             std::span<const TokenQuery> queries);

    // Multiply-add pairs counted twice, for one sequence of `length` tokens through all blocks, and
    // through the head for each of `scored` tokens: what benchmarks divide by.
    double floatingPointOperations(std::int64_t length, std::int64_t scored) const;

  private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

}  // namespace cospadi
