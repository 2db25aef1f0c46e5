// What it costs a model's predictions when one linear layer computes with another weight: the
// divergence of its next-token distributions, KL(model ‖ changed model), in nats a token.
//
// The residual stream before every block is kept, so that a changed layer only costs the blocks
// from its own on. Memory: blocks · hidden · tokens and vocabulary · tokens floats. Not
// thread-safe; nothing else may use the model meanwhile. Errors: cospadi::Error as from the forward
// pass.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/thread_pool.h"
#include "core/model/forward.h"
#include "core/model/model.h"

namespace cospadi {

class DivergenceProbe {
  public:
    // ids: whole sequences of `length` tokens. Model and pool must outlive the probe.
    DivergenceProbe(Model& model, ThreadPool& pool, std::span<const std::int32_t> ids,
                    std::int64_t length);

    // With weight (d1, d2) in place of the layer's own, which is put back afterwards.
    double divergence(const std::string& layer, const Eigen::MatrixXf& weight);
    // Of the model as it is now, against what it was when the probe was made.
    double divergence();

  private:
    double divergenceFrom(std::int64_t first);

    Model& m_model;
    ThreadPool& m_pool;
    ForwardPass m_pass;
    std::int64_t m_length;
    std::vector<Eigen::MatrixXf> m_residuals;  // before every block, (hidden, tokens)
    Eigen::MatrixXf m_logProbabilities;        // (vocabulary, tokens)
};

}  // namespace cospadi
