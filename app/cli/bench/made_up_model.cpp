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

// {d2, d1} of a layer.
std::array<std::int64_t, 2> shapeOf(const MadeUpModel& model, std::string_view kind) {
    if (kind == "attn_q" || kind == "attn_output") {
        return {model.hidden, model.hidden};
    }
    if (kind == "attn_k" || kind == "attn_v") {
        return {model.keyValue, model.hidden};
    }
    return kind == "ffn_down" ? std::array{model.hidden, model.feedForward}
                              : std::array{model.feedForward, model.hidden};
}

}  // namespace

double MadeUpModel::parameters() const {
    const double block = 2.0 * static_cast<double>(hidden * hidden + hidden * keyValue) +
                         3.0 * static_cast<double>(hidden * feedForward);
    return static_cast<double>(blocks) * block +
           (tiedEmbeddings ? 1 : 2) * static_cast<double>(vocabulary * hidden);
}

MadeUpModel madeUpModel(const ModelSet& set) {
    MadeUpModel model;
    for (const LayerShape& shape : set.layers) {
        const std::string_view name = shape.name;
        if (name.starts_with("attn_k")) {
            model.hidden = shape.d1;
            model.keyValue = shape.d2;
            model.blocks = shape.count / 2;
        } else if (name.starts_with("ffn_gate")) {
            model.feedForward = shape.d2;
        }
    }
    model.tiedEmbeddings = model.hidden <= kSmallHidden;
    model.headDim = model.tiedEmbeddings ? 64 : 128;
    return model;
}

void writeMadeUpModel(const MadeUpModel& model, const std::filesystem::path& tokenizerOf,
                      const std::filesystem::path& folder,
                      const std::function<void(double)>& progress) {
    std::filesystem::create_directories(folder);
    writeSideFiles(WeightSource::open(tokenizerOf), folder);
    const nlohmann::json config = {{"architectures", {"LlamaForCausalLM"}},
                                   {"model_type", "llama"},
                                   {"hidden_size", model.hidden},
                                   {"intermediate_size", model.feedForward},
                                   {"num_hidden_layers", model.blocks},
                                   {"num_attention_heads", model.hidden / model.headDim},
                                   {"num_key_value_heads", model.keyValue / model.headDim},
                                   {"head_dim", model.headDim},
                                   {"vocab_size", model.vocabulary},
                                   {"max_position_embeddings", 8192},
                                   {"rms_norm_eps", 1e-5},
                                   {"rope_theta", 500000.0},
                                   {"hidden_act", "silu"},
                                   {"tie_word_embeddings", model.tiedEmbeddings},
                                   {"torch_dtype", "bfloat16"}};
    writeFileAtomically(folder / "config.json", config.dump(2) + "\n");
    Checkpoint checkpoint(progress);
    checkpoint.addWeight("model.embed_tokens.weight", model.vocabulary, model.hidden);
    if (!model.tiedEmbeddings) {
        checkpoint.addWeight("lm_head.weight", model.vocabulary, model.hidden);
    }
    checkpoint.addNorm("model.norm.weight", model.hidden);
    for (std::int64_t block = 0; block < model.blocks; ++block) {
        const std::string prefix = "model.layers." + std::to_string(block) + ".";
        checkpoint.addNorm(prefix + "input_layernorm.weight", model.hidden);
        checkpoint.addNorm(prefix + "post_attention_layernorm.weight", model.hidden);
        for (const std::string_view kind : kLayerKinds) {
            const auto [d2, d1] = shapeOf(model, kind);
            checkpoint.addWeight(huggingFaceName(block, std::string(kind)) + ".weight", d2, d1);
        }
    }
    checkpoint.writeTo(folder / "model.safetensors");
}

}  // namespace cospadi::cli
