#include "core/model/model.h"

#include <algorithm>
#include <map>
#include <optional>

#include "core/base/error.h"
#include "core/model/model_info.h"
#include "core/model/weight_source.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;
using ConstMatrix = Eigen::Map<const Eigen::MatrixXf>;
using ConstVector = Eigen::Map<const Eigen::VectorXf>;

constexpr std::int64_t kRowsPerTask = 64;

// A float32 tensor: own memory, or a mapped file's.
struct FloatTensor {
    std::shared_ptr<const void> owner;
    const float* data = nullptr;
    std::int64_t count = 0;
};

// Collects tensors to widen, then does all of them in parallel.
class Widener {
  public:
    FloatTensor add(const TensorView& view, std::int64_t permutedHeads = 0) {
        const std::int64_t count = view.elementCount();
        const bool aligned =
            reinterpret_cast<std::uintptr_t>(view.bytes.data()) % alignof(float) == 0;
        if (view.dtype == DType::F32 && aligned && permutedHeads == 0) {
            return {view.owner, reinterpret_cast<const float*>(view.bytes.data()), count};
        }
        const auto memory =
            std::make_shared_for_overwrite<float[]>(static_cast<std::size_t>(count));
        m_jobs.push_back({&view, memory.get(), permutedHeads});
        return {memory, memory.get(), count};
    }

    void run(ThreadPool& pool) const {
        std::vector<std::pair<std::size_t, std::int64_t>> tasks;
        for (std::size_t i = 0; i < m_jobs.size(); ++i) {
            for (std::int64_t row = 0; row < m_jobs[i].rows(); row += kRowsPerTask) {
                tasks.emplace_back(i, row);
            }
        }
        pool.run(static_cast<std::int64_t>(tasks.size()), [&](std::int64_t task) {
            const auto& [index, row] = tasks[static_cast<std::size_t>(task)];
            const Job& job = m_jobs[index];
            for (std::int64_t r = row; r < std::min(job.rows(), row + kRowsPerTask); ++r) {
                job.widenRow(r);
            }
        });
    }

  private:
    struct Job {
        const TensorView* view;
        float* target;
        std::int64_t heads;

        std::int64_t rows() const { return view->shape.size() > 1 ? view->shape[0] : 1; }

        // Row of the file that becomes row r. llama.cpp interleaves the two halves of each head
        // (file row 2i + p is row i + p·half); vectors (biases) are permuted by element.
        std::int64_t sourceRow(std::int64_t r, std::int64_t total) const {
            const std::int64_t dim = total / heads;
            const std::int64_t inHead = r % dim;
            const std::int64_t half = dim / 2;
            return r - inHead + 2 * (inHead % half) + inHead / half;
        }

        void widenRow(std::int64_t r) const {
            const std::int64_t size = view->elementCount() / rows();
            const std::int64_t bytes = size / blockElements(view->dtype) * blockBytes(view->dtype);
            if (heads > 0 && view->shape.size() == 1) {
                const std::vector<float> values = view->toFloat();
                for (std::int64_t i = 0; i < size; ++i) {
                    target[i] = values[static_cast<std::size_t>(sourceRow(i, size))];
                }
                return;
            }
            const std::int64_t source = heads > 0 ? sourceRow(r, rows()) : r;
            dequantize(view->dtype, view->bytes.data() + source * bytes, size, target + r * size);
        }
    };

    std::vector<Job> m_jobs;
};

struct Block {
    FloatTensor attentionNorm, feedForwardNorm, queryNorm, keyNorm;
    std::array<FloatTensor, kLayerKinds.size()> biases;
};

ConstVector vectorOf(const FloatTensor& tensor) { return {tensor.data, tensor.count}; }

}  // namespace

struct Model::Impl {
    fs::path path;
    ModelConfig config;
    std::optional<Tokenizer> tokenizer;
    std::vector<LayerInfo> infos;
    std::vector<std::unique_ptr<LinearLayer>> layers;
    std::map<std::string, std::size_t> byName;
    FloatTensor embedding, head, outputNorm;
    std::vector<Block> blocks;
    std::vector<PlainTensor> plain;

    std::size_t indexOf(const std::string& name) const {
        const auto found = byName.find(name);
        if (found == byName.end()) {
            throw Error("has no linear layer " + name, path.string(),
                        "names are like blk.10.ffn_up; see cospadi inspect");
        }
        return found->second;
    }

    FloatTensor addPlain(Widener& widener, const std::string& name, const TensorView& view,
                         std::int64_t permutedHeads = 0) {
        const FloatTensor tensor = widener.add(view, permutedHeads);
        plain.push_back({name, view.shape, tensor.data, tensor.count,
                         std::string(dtypeName(view.dtype)),
                         static_cast<std::int64_t>(view.bytes.size())});
        return tensor;
    }

    void loadPlain(const WeightSource& source, Widener& widener) {
        const auto required = [&](const std::string& name, std::vector<std::int64_t> shape) {
            return addPlain(widener, name, source.require(name, shape));
        };
        embedding =
            required("model.embed_tokens.weight", {config.vocabularySize, config.hiddenSize});
        head = config.tiedEmbeddings
                   ? embedding
                   : required("lm_head.weight", {config.vocabularySize, config.hiddenSize});
        outputNorm = required("model.norm.weight", {config.hiddenSize});
        for (std::int64_t b = 0; b < config.blocks; ++b) {
            const std::string prefix = "model.layers." + std::to_string(b) + ".";
            Block block;
            block.attentionNorm = required(prefix + "input_layernorm.weight", {config.hiddenSize});
            block.feedForwardNorm =
                required(prefix + "post_attention_layernorm.weight", {config.hiddenSize});
            if (config.queryKeyNorm) {
                block.queryNorm = required(prefix + "self_attn.q_norm.weight", {config.headDim});
                block.keyNorm = required(prefix + "self_attn.k_norm.weight", {config.headDim});
            }
            for (std::size_t kind = 0; kind < kLayerKinds.size(); ++kind) {
                const std::string name = huggingFaceName(b, kLayerKinds[kind]) + ".bias";
                if (source.find(name) != nullptr) {
                    const LayerInfo& info = infos[indexOf(layerName(b, kLayerKinds[kind]))];
                    block.biases[kind] = addPlain(widener, name, source.require(name, {info.d2}),
                                                  source.permutedHeads(kLayerKinds[kind]));
                }
            }
            blocks.push_back(std::move(block));
        }
    }

    void loadLayers(const WeightSource& source, Widener& widener, const LoadOptions& options) {
        for (const LayerInfo& info : infos) {
            const TensorView* view =
                source.find(huggingFaceName(info.block, info.kind) + ".weight");
            std::unique_ptr<LinearLayer> layer;
            if (view != nullptr) {
                FloatTensor weight = widener.add(*view, source.permutedHeads(info.kind));
                layer = std::make_unique<DenseLayer>(std::move(weight.owner), weight.data, info.d1,
                                                     info.d2, info.storedBytes);
            } else if (options.missingLayer && source.folder) {
                layer = options.missingLayer(*source.folder, info);
            }
            if (layer == nullptr || layer->d1() != info.d1 || layer->d2() != info.d2) {
                throw Error("has no weight that fits for " + info.name, path.string(),
                            "the model is incomplete or of another architecture");
            }
            layers.push_back(std::move(layer));
        }
    }
};

Model Model::load(const fs::path& path, const LoadOptions& options) {
    const WeightSource source = WeightSource::open(path);
    auto impl = std::make_unique<Impl>();
    impl->path = path;
    impl->config = source.config;
    impl->infos = source.layers();
    for (std::size_t i = 0; i < impl->infos.size(); ++i) {
        impl->byName[impl->infos[i].name] = i;
    }
    Widener widener;
    impl->loadPlain(source, widener);
    impl->loadLayers(source, widener, options);
    std::optional<ThreadPool> ownPool;
    widener.run(options.pool != nullptr ? *options.pool : ownPool.emplace());

    if (source.gguf) {
        impl->tokenizer = Tokenizer::fromGguf(*source.gguf);
    } else if (fs::exists(path / "tokenizer.json")) {
        impl->tokenizer = Tokenizer::fromJson(path / "tokenizer.json");
    }
    return Model(std::move(impl));
}

Model::Model(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}
Model::Model(Model&&) noexcept = default;
Model& Model::operator=(Model&&) noexcept = default;
Model::~Model() = default;

const fs::path& Model::sourcePath() const { return m_impl->path; }
const ModelConfig& Model::config() const { return m_impl->config; }
bool Model::hasTokenizer() const { return m_impl->tokenizer.has_value(); }

const Tokenizer& Model::tokenizer() const {
    if (!m_impl->tokenizer) {
        throw Error("has no tokenizer.json", m_impl->path.string(),
                    "copy the tokenizer of the model into its folder");
    }
    return *m_impl->tokenizer;
}

const std::vector<LayerInfo>& Model::layers() const { return m_impl->infos; }

const LayerInfo& Model::layerInfo(const std::string& name) const {
    return m_impl->infos[m_impl->indexOf(name)];
}

const LinearLayer& Model::layer(const std::string& name) const {
    return *m_impl->layers[m_impl->indexOf(name)];
}

const LinearLayer& Model::layer(std::int64_t block, std::size_t kindIndex) const {
    return *m_impl->layers[static_cast<std::size_t>(block) * kLayerKinds.size() + kindIndex];
}

void Model::replaceLayer(const std::string& name, std::unique_ptr<LinearLayer> layer) {
    const std::size_t index = m_impl->indexOf(name);
    const LayerInfo& info = m_impl->infos[index];
    if (layer == nullptr || layer->d1() != info.d1 || layer->d2() != info.d2) {
        throw Error("the new layer does not have the shape of the one it replaces", name,
                    "the compressed matrix belongs to another model");
    }
    m_impl->layers[index] = std::move(layer);
}

Eigen::MatrixXf Model::weight(const std::string& name) const { return layer(name).denseWeight(); }

ConstMatrix Model::embedding() const {
    return {m_impl->embedding.data, m_impl->config.hiddenSize, m_impl->config.vocabularySize};
}

ConstMatrix Model::head() const {
    return {m_impl->head.data, m_impl->config.hiddenSize, m_impl->config.vocabularySize};
}

ConstVector Model::outputNorm() const { return vectorOf(m_impl->outputNorm); }

ConstVector Model::attentionNorm(std::int64_t block) const {
    return vectorOf(m_impl->blocks[static_cast<std::size_t>(block)].attentionNorm);
}

ConstVector Model::feedForwardNorm(std::int64_t block) const {
    return vectorOf(m_impl->blocks[static_cast<std::size_t>(block)].feedForwardNorm);
}

ConstVector Model::queryNorm(std::int64_t block) const {
    return vectorOf(m_impl->blocks[static_cast<std::size_t>(block)].queryNorm);
}

ConstVector Model::keyNorm(std::int64_t block) const {
    return vectorOf(m_impl->blocks[static_cast<std::size_t>(block)].keyNorm);
}

ConstVector Model::bias(std::int64_t block, std::size_t kindIndex) const {
    return vectorOf(m_impl->blocks[static_cast<std::size_t>(block)].biases[kindIndex]);
}

std::vector<PlainTensor> Model::plainTensors() const { return m_impl->plain; }

std::string Model::sha256() const { return modelSha256(m_impl->path); }

}  // namespace cospadi
