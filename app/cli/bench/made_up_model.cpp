#include "app/cli/bench/made_up_model.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "core/exports/model_side_files.h"
#include "core/model/layer_info.h"
#include "core/model/weight_source.h"
#include "core/tensors/atomic_file.h"
#include "core/tensors/safetensors_stream.h"

namespace cospadi::cli {

namespace {

constexpr std::int64_t kSmallHidden = 2048;  // up to here heads are of 64, and embeddings tied
constexpr std::size_t kPiece = 1 << 20;      // bfloat16 values made at once

// About normal, of deviation 0.02: the sum of four bytes of a xorshift's word.
class RandomWeights {
  public:
    explicit RandomWeights(std::uint64_t seed) : m_state(seed) {}

    void fill(std::vector<std::uint16_t>& values) {
        for (std::uint16_t& value : values) {
            m_state ^= m_state << 13;
            m_state ^= m_state >> 7;
            m_state ^= m_state << 17;
            const auto word = static_cast<std::uint32_t>(m_state);
            const std::uint32_t sum =
                (word & 255) + (word >> 8 & 255) + (word >> 16 & 255) + (word >> 24);
            value = m_table[sum];
        }
    }

  private:
    static std::array<std::uint16_t, 1021> table() {
        std::array<std::uint16_t, 1021> values{};
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = floatToBfloat16((static_cast<float>(i) - 510) * (0.02F / 147.8F));
        }
        return values;
    }

    std::uint64_t m_state;
    std::array<std::uint16_t, 1021> m_table = table();
};

class Checkpoint {
  public:
    explicit Checkpoint(std::function<void(double)> progress) : m_progress(std::move(progress)) {}

    void addWeight(const std::string& name, std::int64_t d2, std::int64_t d1) {
        m_tensors.push_back({name, DType::BF16, {d2, d1}, [this, d2, d1](const ByteSink& sink) {
                                 write(sink, d1 * d2,
                                       [this](auto& values) { m_random.fill(values); });
                             }});
    }

    void addNorm(const std::string& name, std::int64_t size) {
        m_tensors.push_back({name, DType::BF16, {size}, [this, size](const ByteSink& sink) {
                                 write(sink, size, [](auto& values) {
                                     std::fill(values.begin(), values.end(), floatToBfloat16(1));
                                 });
                             }});
    }

    void writeTo(const std::filesystem::path& file) const { streamSafetensors(file, m_tensors); }

  private:
    void write(const ByteSink& sink, std::int64_t count, const auto& make) {
        std::vector<std::uint16_t> values;
        for (auto left = static_cast<std::size_t>(count); left > 0; left -= values.size()) {
            values.resize(std::min(left, kPiece));
            make(values);
            sink(std::as_bytes(std::span<const std::uint16_t>(values)));
            m_written += 2.0 * static_cast<double>(values.size());
            if (m_progress) {
                m_progress(m_written);
            }
        }
    }

    std::function<void(double)> m_progress;
    RandomWeights m_random{0x9e3779b97f4a7c15};
    double m_written = 0;
    std::vector<TensorToStream> m_tensors;
};

}  // namespace

double weightBytes(const ModelConfig& model) {
    double block = 0;
    for (const std::string_view kind : kLayerKinds) {
        const auto [d1, d2] = layerShape(model, kind);
        block += static_cast<double>(d1 * d2);
    }
    return 2 * (static_cast<double>(model.blocks) * block +
                (model.tiedEmbeddings ? 1 : 2) *
                    static_cast<double>(model.vocabularySize * model.hiddenSize));
}

ModelConfig madeUpModel(const ModelSet& set) {
    ModelConfig model;
    model.architecture = "llama";
    model.vocabularySize = 128256;
    model.contextLength = 8192;
    model.normEpsilon = 1e-5;
    model.rope.theta = 500000;
    std::int64_t keyValues = 0;
    for (const LayerShape& shape : set.layers) {
        const std::string_view name = shape.name;
        if (name.starts_with("attn_k")) {
            model.hiddenSize = shape.d1;
            model.blocks = shape.count / 2;
            keyValues = shape.d2;
        } else if (name.starts_with("ffn_gate")) {
            model.intermediateSize = shape.d2;
        }
    }
    model.tiedEmbeddings = model.hiddenSize <= kSmallHidden;
    model.headDim = model.tiedEmbeddings ? 64 : 128;
    model.heads = model.hiddenSize / model.headDim;
    model.keyValueHeads = keyValues / model.headDim;
    return model;
}

void writeMadeUpModel(const ModelConfig& model, const std::filesystem::path& tokenizerOf,
                      const std::filesystem::path& folder,
                      const std::function<void(double)>& progress) {
    std::filesystem::create_directories(folder);
    writeSideFiles(WeightSource::open(tokenizerOf), folder);
    writeFileAtomically(folder / "config.json", model.toHuggingFace("bfloat16").dump(2) + "\n");
    Checkpoint checkpoint(progress);
    checkpoint.addWeight("model.embed_tokens.weight", model.vocabularySize, model.hiddenSize);
    if (!model.tiedEmbeddings) {
        checkpoint.addWeight("lm_head.weight", model.vocabularySize, model.hiddenSize);
    }
    checkpoint.addNorm("model.norm.weight", model.hiddenSize);
    for (std::int64_t block = 0; block < model.blocks; ++block) {
        const std::string prefix = "model.layers." + std::to_string(block) + ".";
        checkpoint.addNorm(prefix + "input_layernorm.weight", model.hiddenSize);
        checkpoint.addNorm(prefix + "post_attention_layernorm.weight", model.hiddenSize);
        for (const std::string_view kind : kLayerKinds) {
            const auto [d1, d2] = layerShape(model, kind);
            checkpoint.addWeight(huggingFaceName(block, kind) + ".weight", d2, d1);
        }
    }
    checkpoint.writeTo(folder / "model.safetensors");
}

}  // namespace cospadi::cli
