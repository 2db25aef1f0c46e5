// What the linear layers of a model see while it is being compressed from the first block to the
// last (error propagation): X' with every earlier layer compressed, beside X of the
// model as it was. Within a block the order is that of the computation: q k v, attention output,
// gate and up, down.
//
//   begin(b) · for every stage { inputs(stage) · its layers are replaced in the model } · finish()
//
// `model` is the one that is being compressed: the layers of block b and later are still its own
// when begin(b) is called. Memory: the residual stream, hidden floats a token; twice that and the
// inputs of one block's layers where the original is followed. Nothing is kept on disk: a start
// after a kill passes through the finished blocks again, which costs their forward pass alone.
// Results do not depend on the number of threads. Not thread-safe. Errors: cospadi::Error naming
// layer and sequence.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <stop_token>

#include "core/base/thread_pool.h"
#include "core/model/forward.h"
#include "core/model/model.h"

namespace cospadi {

// Sums over all tokens but those held out, not divided by their number. X' and X are (tokens, d1)
// here, as in the paper. heldOutGram is empty where none are held out. drift and residualDrift are
// empty where the original is not followed; residualDrift also where the layer does not write to
// the residual stream.
struct LayerInputs {
    Eigen::MatrixXd gram;           // (d1, d1)      G' = X'ᵀX'
    Eigen::MatrixXd drift;          // (d1, d1)      X'ᵀ(X − X')
    Eigen::MatrixXd residualDrift;  // (d1, hidden)  X'ᵀ(R − R'), R what the output is added to
    Eigen::MatrixXd heldOutGram{};  // (d1, d1)      G' of the tokens that are held out
};

class PropagatedInputs {
  public:
    // ids: whole sequences of `length` tokens, of which the last `heldOut` are held out.
    // followOriginal: X is wanted as well. products: take
    // over what pays on a device (layers that are dense, and G'); DeviceError where it fails and
    // the CPU may not take over.
    PropagatedInputs(Model& model, ThreadPool& pool, std::span<const std::int32_t> ids,
                     std::int64_t length, bool followOriginal, DeviceProducts* products = nullptr,
                     std::int64_t heldOut = 0);

    // All return false, or nothing, when cancelled.
    bool begin(std::int64_t block, const std::stop_token& stop);
    std::optional<LayerInputs> inputs(BlockStage stage, const std::stop_token& stop);
    bool finish(const std::stop_token& stop);

  private:
    // Calls work(first, batch) with the columns of `stream` from `first` on, a batch of whole
    // sequences at a time, fitted or held out, never both; false when cancelled.
    template <typename Work>
    bool forBatches(const Eigen::MatrixXf& stream, const std::stop_token& stop, const Work& work);

    std::optional<LayerInputs> sums(BlockStage stage, const std::stop_token& stop);
    void forgetWeights();  // layers may have been replaced

    ThreadPool& m_pool;
    DeviceProducts* m_products;
    ForwardPass m_pass;
    std::int64_t m_length;
    bool m_followOriginal;
    std::int64_t m_fitted;  // tokens; those behind them are held out
    std::int64_t m_block = 0;
    Eigen::MatrixXf m_compressed;  // R' before the block, (hidden, tokens): a token a column
    Eigen::MatrixXf m_original;    // R
    // Of the original in this block: the layers' inputs, and what their outputs are added to.
    std::map<BlockStage, Eigen::MatrixXf> m_inputs;
    std::map<BlockStage, Eigen::MatrixXf> m_before;
};

}  // namespace cospadi
