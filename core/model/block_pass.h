// A decoder block, step by step: norms, linear layers on host or device, rotation, attention and
// the gated feed-forward, of many tokens at once, a token a column. What ForwardPass puts together.
// Not thread-safe: the matrices of a block are kept from one to the next.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <vector>

#include "core/base/thread_pool.h"
#include "core/model/attention.h"
#include "core/model/forward.h"
#include "core/model/model.h"
#include "core/model/rotary_table.h"

namespace cospadi {

// Places in kLayerKinds.
enum BlockLayer : std::size_t { kQ, kK, kV, kAttentionOutput, kGate, kUp, kDown };

class BlockPass {
  public:
    using ConstRef = Eigen::Ref<const Eigen::MatrixXf>;

    // All must outlive it; products may be null.
    BlockPass(const Model& model, ThreadPool& pool, DeviceProducts* products);

    // Positions below `length` can be rotated from now on.
    void growTo(std::int64_t length) { m_rotary.growTo(length); }

    // Through the block, or to the inputs of a stage. spansOfKeys is called once keys() and
    // values() of the new tokens stand there, the keys rotated.
    void run(std::int64_t block, Eigen::MatrixXf& residual,
             const std::vector<std::int64_t>& positions,
             const std::function<std::vector<AttentionSpan>()>& spansOfKeys,
             const LinearInputHook& linearInput, BlockStage until);
    const Eigen::MatrixXf& keys() const { return m_k; }
    const Eigen::MatrixXf& values() const { return m_v; }

    // The steps one by one.
    void norm(const ConstRef& x, const Eigen::Map<const Eigen::VectorXf>& weight,
              Eigen::MatrixXf& y);
    struct Target {
        BlockLayer layer;
        Eigen::MatrixXf& y;
    };
    // Layers of a block that have their input in common, with their biases.
    void linear(std::int64_t block, const Eigen::MatrixXf& x,
                std::initializer_list<Target> targets);
    // Optional per-head norm, then rotation by position.
    void normAndRotate(Eigen::MatrixXf& x, const Eigen::Map<const Eigen::VectorXf>& headNorm,
                       const std::vector<std::int64_t>& positions);
    void add(Eigen::MatrixXf& target, const Eigen::MatrixXf& source);

  private:
    void forTokenBlocks(std::int64_t columns,
                        const std::function<void(std::int64_t, std::int64_t)>& work);
    void addBias(const Eigen::Map<const Eigen::VectorXf>& bias, Eigen::MatrixXf& y);

    const Model& m_model;
    ThreadPool& m_pool;
    DeviceProducts* m_products;
    const ModelConfig& m_config;
    RotaryTable m_rotary;
    Eigen::MatrixXf m_normed, m_q, m_k, m_v, m_attended, m_projected, m_gate, m_up;
};

}  // namespace cospadi
