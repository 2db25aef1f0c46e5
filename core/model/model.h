// A language model in memory: configuration, tokenizer, linear layers, and the few other tensors.
//
// Weights are made in parallel on loading: those of bfloat16, Q4_0, Q4_1 and Q8_0 stay so in
// memory, all others are float32 (float32 safetensors stay mapped). All have the file's values. A
// model that is deferred checks them on loading and makes each when it is first asked for.
// GGUF's permuted rows of q and k are brought to the Hugging Face layout, so that one rope serves.
// Thread-safety: reading is safe from many threads; replaceLayer(), letGo() and takeTokenizer()
// need exclusive access. Errors: cospadi::Error naming file, tensor or layer.
#pragma once

#include <Eigen/Core>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/base/thread_pool.h"
#include "core/model/layer_info.h"
#include "core/model/linear_layer.h"
#include "core/model/model_config.h"
#include "core/tokenizer/tokenizer.h"

namespace cospadi {

// A tensor that is not a linear layer of a block: embedding, head, norms, biases. Hugging Face name
// and shape (slowest first).
struct PlainTensor {
    std::string huggingFaceName;
    std::vector<std::int64_t> shape;
    std::int64_t count = 0;
    std::string storedDtype;
    std::int64_t storedBytes = 0;
    std::function<std::vector<float>()> values;  // row-major; as long as the model lives
};

struct LoadOptions {
    ThreadPool* pool = nullptr;  // null: a pool of its own during loading
    // How a layer is made that is stored in another form than as a dense weight: given the name
    // that the files have for it; empty for those whose dense weight they hold.
    std::function<MakeLayer(const std::string&)> storedLayer{};
    // Blocks of the files that the model shall not have; those behind move up (kept_blocks.h).
    std::vector<std::int64_t> leftOut{};
    // Embedding, head and layers as bfloat16, rounded: what a model of that format takes in memory
    // and time.
    bool asBfloat16 = false;
    // A model whose layers take more bytes than these in bfloat16 is deferred: it need not fit into
    // memory. Absent: none is.
    std::optional<std::int64_t> deferredAbove{};
};

class Model {
  public:
    // path: a GGUF file, or a folder with config.json, safetensors and tokenizer.json.
    static Model load(const std::filesystem::path& path, const LoadOptions& options = {});

    Model(Model&&) noexcept;
    Model& operator=(Model&&) noexcept;
    ~Model();

    const std::filesystem::path& sourcePath() const;
    const ModelConfig& config() const;
    // Error where the folder had no tokenizer.json.
    const Tokenizer& tokenizer() const;
    bool hasTokenizer() const;
    // Gives it away: who has tokenised all there is need not keep it in memory. Without one, Error.
    Tokenizer takeTokenizer();

    // All linear layers of all blocks, in forward order. d1 and d2 follow replaceLayer(); dtype and
    // bytes stay those of the file that was loaded.
    const std::vector<LayerInfo>& layers() const;
    const LayerInfo& layerInfo(const std::string& name) const;
    const LinearLayer& layer(const std::string& name) const;
    const LinearLayer& layer(std::int64_t block, std::size_t kindIndex) const;  // see kLayerKinds
    // Returns the one that was there.
    std::unique_ptr<LinearLayer> replaceLayer(const std::string& name,
                                              std::unique_ptr<LinearLayer> layer);
    // The dense W (d1, d2) of a layer.
    Eigen::MatrixXf weight(const std::string& name) const;

    bool isDeferred() const;
    // Of a deferred model: makes the layers of a block, in parallel; and frees all that can be made
    // again, embedding and head too, upon which references to them end. Else without effect.
    void makeBlock(std::int64_t block, ThreadPool& pool) const;
    void letGo() const;

    // W (hidden, vocabulary), a token a column.
    const LinearLayer& embedding() const;
    const LinearLayer& head() const;  // tied: embedding()

    // Views into the model's memory; a bias or norm that the model lacks is empty (size 0).
    Eigen::Map<const Eigen::VectorXf> outputNorm() const;
    Eigen::Map<const Eigen::VectorXf> attentionNorm(std::int64_t block) const;
    Eigen::Map<const Eigen::VectorXf> feedForwardNorm(std::int64_t block) const;
    Eigen::Map<const Eigen::VectorXf> queryNorm(std::int64_t block) const;
    Eigen::Map<const Eigen::VectorXf> keyNorm(std::int64_t block) const;
    Eigen::Map<const Eigen::VectorXf> bias(std::int64_t block, std::size_t kindIndex) const;

    // Everything but the linear layers' weights: what a compressed folder has to carry along.
    std::vector<PlainTensor> plainTensors() const;

    // SHA-256 of the GGUF file, or of the list of a folder's configuration and weight files with
    // their sums. Cached under the XDG cache directory by path, size and modification time.
    std::string sha256() const;

  private:
    struct Impl;
    explicit Model(std::unique_ptr<Impl> impl);

    std::unique_ptr<Impl> m_impl;
};

}  // namespace cospadi
