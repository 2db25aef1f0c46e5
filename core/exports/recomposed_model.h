// A model as dense weights, one tensor at a time: W = D_a S (or B C) multiplied out where a matrix
// was compressed, the original elsewhere. What an export streams from; nothing but the tensor at
// hand is in memory. Thread-safety: none. Errors: cospadi::Error naming file, run or tensor.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/thread_pool.h"
#include "core/model/weight_source.h"

namespace cospadi {

struct RecomposedTensor {
    std::string huggingFaceName;      // model.layers.3.mlp.up_proj.weight
    std::string ggufName;             // blk.3.ffn_up.weight
    std::vector<std::int64_t> shape;  // slowest first: {out, in} for a linear layer
    // Heads whose rows llama.cpp interleaves for its rope (q and k of the Llama architecture); 0
    // for all other tensors. values() gives Hugging Face's order whatever the source.
    std::int64_t ropeHeads = 0;

    const TensorView* view = nullptr;  // where it is stored densely
    std::filesystem::path matrixFile;  // else the compressed matrix
};

class RecomposedModel {
  public:
    // word: a path, `default`, a finished run (directory or id), or a compressed model folder.
    explicit RecomposedModel(const std::string& word);

    const ModelConfig& config() const { return m_source.config; }
    // The model that the uncompressed tensors, the tokenizer and the configuration come from.
    const WeightSource& source() const { return m_source; }
    // The run that `word` named; empty for anything else.
    const std::filesystem::path& run() const { return m_run; }
    // Embedding, blocks in forward order, final norm, head (where it is not tied).
    const std::vector<RecomposedTensor>& tensors() const { return m_tensors; }

    // The elements, row-major. Throws Error for NaN or infinity.
    std::vector<float> values(const RecomposedTensor& tensor, ThreadPool& pool) const;

  private:
    void add(const std::string& name, const std::vector<std::int64_t>& shape,
             std::int64_t ropeHeads = 0);
    void addBlock(std::int64_t block);

    WeightSource m_source;
    std::filesystem::path m_run;
    std::filesystem::path m_matrices;  // folder of NAME.safetensors; empty for a dense model
    std::vector<RecomposedTensor> m_tensors;
};

}  // namespace cospadi
