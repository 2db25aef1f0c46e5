#include "core/model/model.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/model/filed_layer.h"
#include "core/model/model_info.h"
#include "core/model/tensor_widener.h"
#include "core/model/weight_source.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;
using ConstVector = Eigen::Map<const Eigen::VectorXf>;

struct Block {
    FloatTensor attentionNorm, feedForwardNorm, queryNorm, keyNorm;
    std::array<FloatTensor, kLayerKinds.size()> biases;
};

bool fits(const LinearLayer& layer, const LayerInfo& info) {
    return layer.d1() == info.d1 && layer.d2() == info.d2;
}

Error otherShape(const std::string& layer) {
    return {"the layer's shape does not match its place in the model", layer,
            "the compressed matrix belongs to another model"};
}

ConstVector vectorOf(const FloatTensor& tensor) { return {tensor.data, tensor.count}; }

}  // namespace

struct Model::Impl {
    fs::path path;
    ModelConfig config;
    std::optional<Tokenizer> tokenizer;
    std::vector<LayerInfo> infos;
    std::deque<FiledLayer> layers;
    std::map<std::string, std::size_t> byName;
    std::optional<FiledLayer> embedding, ownHead;  // tied: no own one
    FloatTensor outputNorm;
    std::vector<Block> blocks;
    std::vector<PlainTensor> plain;
    bool deferred = false;

    std::size_t indexOf(const std::string& name) const {
        const auto found = byName.find(name);
        if (found == byName.end()) {
            throw Error("has no linear layer " + name, path.string(),
                        "names are like blk.10.ffn_up; see cospadi inspect");
        }
        return found->second;
    }

    FloatTensor addPlain(TensorWidener& widener, const std::string& name, const TensorView& view,
                         std::int64_t permutedHeads = 0) {
        FloatTensor tensor = widener.add(view, permutedHeads);
        addToPlain(name, view, [tensor] {
            return std::vector<float>(tensor.data, tensor.data + tensor.count);
        });
        return tensor;
    }

    void addToPlain(const std::string& name, const TensorView& view,
                    std::function<std::vector<float>()> values) {
        plain.push_back({name, view.shape, view.elementCount(), std::string(dtypeName(view.dtype)),
                         static_cast<std::int64_t>(view.bytes.size()), std::move(values)});
    }

    // A column a token.
    void addTokens(const WeightSource& source, const std::string& name, bool asBfloat16,
                   std::optional<FiledLayer>& layer) {
        const TensorView& view = source.require(name, {config.vocabularySize, config.hiddenSize});
        layer.emplace(fromFile(view, 0, asBfloat16));
        addToPlain(name, view, [&layer = *layer] {
            const Eigen::MatrixXf weight = layer.denseWeight();
            return std::vector<float>(weight.data(), weight.data() + weight.size());
        });
    }

    void loadPlain(const WeightSource& source, TensorWidener& widener, bool asBfloat16) {
        const auto required = [&](const std::string& name, const std::vector<std::int64_t>& shape) {
            return addPlain(widener, name, source.require(name, shape));
        };
        addTokens(source, "model.embed_tokens.weight", asBfloat16, embedding);
        if (!config.tiedEmbeddings) {
            addTokens(source, "lm_head.weight", asBfloat16, ownHead);
        }
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
                if (!config.hasBias(kLayerKinds[kind])) {
                    continue;
                }
                const std::string name = huggingFaceName(b, kLayerKinds[kind]) + ".bias";
                const LayerInfo& info = infos[indexOf(layerName(b, kLayerKinds[kind]))];
                block.biases[kind] = addPlain(widener, name, source.require(name, {info.d2}),
                                              source.permutedHeads(kLayerKinds[kind]));
            }
            blocks.push_back(std::move(block));
        }
    }

    void loadLayers(const WeightSource& source, const LoadOptions& options) {
        for (const LayerInfo& info : infos) {
            MakeLayer make = options.storedLayer
                                 ? options.storedLayer(source.kept.originalName(info.name))
                                 : nullptr;
            if (!make) {
                const TensorView* view =
                    source.find(huggingFaceName(info.block, info.kind) + ".weight");
                if (view == nullptr) {
                    throw Error("has no weight for " + info.name, path.string(),
                                "the model is incomplete or of another architecture");
                }
                make = fromFile(*view, source.permutedHeads(info.kind), options.asBfloat16);
            }
            layers.emplace_back(std::move(make));
        }
    }

    std::vector<const FiledLayer*> filedLayers() const {
        std::vector<const FiledLayer*> all;
        for (const auto* tokens : {&embedding, &ownHead}) {
            if (*tokens) {
                all.push_back(&**tokens);
            }
        }
        for (const FiledLayer& layer : layers) {
            all.push_back(&layer);
        }
        return all;
    }

    // Once all are made, their shapes and values have been checked.
    void makeLayers(ThreadPool& pool) const {
        const std::vector<const FiledLayer*> all = filedLayers();
        const auto first = static_cast<std::int64_t>(all.size() - layers.size());  // of a block
        pool.run(static_cast<std::int64_t>(all.size()), [&](std::int64_t i) {
            const FiledLayer& layer = *all[static_cast<std::size_t>(i)];
            const LinearLayer& made = layer.get();
            if (i >= first && !fits(made, infos[static_cast<std::size_t>(i - first)])) {
                throw otherShape(infos[static_cast<std::size_t>(i - first)].name);
            }
            if (deferred) {
                layer.letGo();
            }
        });
    }
};

Model Model::load(const fs::path& path, const LoadOptions& options) {
    WeightSource source = WeightSource::open(path);
    source.leaveOut(options.leftOut);
    auto impl = std::make_unique<Impl>();
    impl->path = path;
    impl->config = source.config;
    impl->infos = source.layers();
    for (std::size_t i = 0; i < impl->infos.size(); ++i) {
        impl->byName[impl->infos[i].name] = i;
    }
    std::int64_t bytes = 0;  // in bfloat16
    for (const LayerInfo& layer : impl->infos) {
        bytes += 2 * layer.d1 * layer.d2;
    }
    impl->deferred = options.deferredAbove && bytes > *options.deferredAbove;
    TensorWidener widener;
    impl->loadPlain(source, widener, options.asBfloat16);
    impl->loadLayers(source, options);
    std::optional<ThreadPool> ownPool;
    ThreadPool& pool = options.pool != nullptr ? *options.pool : ownPool.emplace();
    widener.run(pool);
    impl->makeLayers(pool);

    if (source.gguf) {
        impl->tokenizer = Tokenizer::fromGguf(*source.gguf);
    } else if (std::error_code unreadable; fs::exists(path / "tokenizer.json", unreadable)) {
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

Tokenizer Model::takeTokenizer() {
    (void)tokenizer();
    Tokenizer taken = std::move(*m_impl->tokenizer);
    m_impl->tokenizer.reset();
    return taken;
}

const std::vector<LayerInfo>& Model::layers() const { return m_impl->infos; }

const LayerInfo& Model::layerInfo(const std::string& name) const {
    return m_impl->infos[m_impl->indexOf(name)];
}

const LinearLayer& Model::layer(const std::string& name) const {
    return m_impl->layers[m_impl->indexOf(name)].get();
}

const LinearLayer& Model::layer(std::int64_t block, std::size_t kindIndex) const {
    return m_impl->layers[static_cast<std::size_t>(block) * kLayerKinds.size() + kindIndex].get();
}

std::unique_ptr<LinearLayer> Model::replaceLayer(const std::string& name,
                                                 std::unique_ptr<LinearLayer> layer) {
    const std::size_t index = m_impl->indexOf(name);
    if (layer == nullptr || !fits(*layer, m_impl->infos[index])) {
        throw otherShape(name);
    }
    return m_impl->layers[index].exchange(std::move(layer));
}

Eigen::MatrixXf Model::weight(const std::string& name) const {
    return m_impl->layers[m_impl->indexOf(name)].denseWeight();
}

bool Model::isDeferred() const { return m_impl->deferred; }

void Model::makeBlock(std::int64_t block, ThreadPool& pool) const {
    pool.run(static_cast<std::int64_t>(kLayerKinds.size()), [&](std::int64_t kind) {
        static_cast<void>(layer(block, static_cast<std::size_t>(kind)));
    });
}

void Model::letGo() const {
    if (m_impl->deferred) {
        for (const FiledLayer* layer : m_impl->filedLayers()) {
            layer->letGo();
        }
    }
}

const LinearLayer& Model::embedding() const { return m_impl->embedding->get(); }

const LinearLayer& Model::head() const {
    return (m_impl->ownHead ? m_impl->ownHead : m_impl->embedding)->get();
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
