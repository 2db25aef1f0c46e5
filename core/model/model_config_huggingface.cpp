// ModelConfig from a Hugging Face config.json.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <utility>

#include "core/base/error.h"
#include "core/model/model_config.h"
#include "core/tensors/bounded_json.h"
#include "core/tensors/printable_name.h"

namespace cospadi {

namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

constexpr std::uintmax_t kMaxConfigBytes = 10'000'000;

// Typed access that treats null as absent.
class Fields {
  public:
    Fields(const Json& json, std::string where) : m_json(json), m_where(std::move(where)) {}

    const std::string& where() const { return m_where; }

    bool has(const char* key) const {
        return m_json.is_object() && m_json.contains(key) && !m_json[key].is_null();
    }

    template <typename T>
    T get(const char* key, T fallback) const {
        if (!has(key)) {
            return fallback;
        }
        const Json& value = m_json[key];
        const bool fits = std::is_same_v<T, bool>       ? value.is_boolean()
                          : std::is_integral_v<T>       ? isInteger(value, fallback)
                          : std::is_floating_point_v<T> ? value.is_number()
                                                        : value.is_string();
        if (!fits) {
            throw Error("the field " + std::string(key) + " has the wrong type or size", m_where,
                        "fetch the model again");
        }
        return value.get<T>();
    }

  private:
    template <typename T>
    static bool isInteger([[maybe_unused]] const Json& value, const T& /*kind*/) {
        if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
            return value.is_number_unsigned()
                       ? std::in_range<T>(value.get<std::uint64_t>())
                       : value.is_number_integer() && std::in_range<T>(value.get<std::int64_t>());
        }
        return false;
    }

    const Json& m_json;
    std::string m_where;
};

void readRope(const Json& json, const Fields& fields, const std::string& where,
              ModelConfig& config) {
    config.rope.theta = fields.get("rope_theta", 10000.0);
    const char* key = fields.has("rope_parameters") ? "rope_parameters" : "rope_scaling";
    if (!fields.has(key)) {
        return;
    }
    const Fields rope(json[key], where + ", " + key);
    config.rope.theta = rope.get("rope_theta", config.rope.theta);
    const std::string type = rope.get("rope_type", rope.get("type", std::string("default")));
    if (rope.get("partial_rotary_factor", 1.0) != 1.0) {
        throw Error("rotates only a part of each head, which is not supported", where,
                    "partial_rotary_factor must be 1");
    }
    if (type == "default") {
        return;
    }
    if (type != "linear" && type != "llama3") {
        throw Error("the rope scaling \"" + printableName(type) + "\" is not supported", where,
                    "supported: default, linear, llama3");
    }
    config.rope.scaling = type == "linear" ? RopeScaling::Linear : RopeScaling::Llama3;
    config.rope.factor = rope.get("factor", 1.0);
    config.rope.lowFrequencyFactor = rope.get("low_freq_factor", 1.0);
    config.rope.highFrequencyFactor = rope.get("high_freq_factor", 4.0);
    config.rope.originalContext =
        rope.get("original_max_position_embeddings", config.contextLength);
}

// What other models of these architectures may ask for and this engine does not compute.
void refuseUnknownFeatures(const Json& json, const Fields& fields, const std::string& where) {
    if (const auto activation = fields.get("hidden_act", std::string("silu"));
        activation != "silu") {
        throw Error("the activation \"" + printableName(activation) + "\" is not supported", where,
                    "supported: silu");
    }
    if (fields.has("quantization_config")) {
        const std::string at = where + ", quantization_config";
        const auto method =
            Fields(json["quantization_config"], at).get("quant_method", std::string());
        if (!method.starts_with("cospadi")) {  // our own compressed folders
            throw Error("is quantised by \"" + printableName(method) + "\", which is not supported",
                        at, "fetch the unquantised model, or a GGUF file");
        }
    }
    for (const char* experts : {"num_experts", "num_local_experts", "n_routed_experts"}) {
        if (fields.get<std::int64_t>(experts, 0) > 1) {
            throw Error("is a mixture of experts, which is not supported", where,
                        "supported: " + supportedArchitectures());
        }
    }
    if (fields.get("partial_rotary_factor", 1.0) != 1.0) {
        throw Error("rotates only a part of each head, which is not supported", where,
                    "partial_rotary_factor must be 1");
    }
}

// Qwen: layer_types says it layer by layer, else the layers from max_window_layers on have windows.
bool someLayersSlide(const Json& json, const Fields& fields, std::int64_t blocks) {
    const bool off = json.contains("sliding_window") && json["sliding_window"].is_null();
    if (off || !fields.get("use_sliding_window", false)) {
        return false;
    }
    if (fields.has("layer_types")) {
        const Json& types = json["layer_types"];
        return std::find(types.begin(), types.end(), "sliding_attention") != types.end();
    }
    return blocks > fields.get<std::int64_t>("max_window_layers", 28);
}

// Several end tokens stand in an array; null means none.
std::vector<std::int32_t> endTokens(const Json& json, const Fields& fields) {
    const Json& value = json.at("eos_token_id");
    std::vector<std::int32_t> ids;
    for (const Json& id : value.is_array() ? value : Json::array({value})) {
        const Json wrapped = {{"eos_token_id", id}};
        const Fields one(wrapped, fields.where());
        if (const auto known = one.get<std::int32_t>("eos_token_id", -1); known >= 0) {
            ids.push_back(known);
        }
    }
    return ids;
}

// Absent keys mean the class's defaults, null means none.
void readTokenIds(const Json& json, const Fields& fields, ModelConfig& config) {
    const bool qwen = config.architecture.starts_with("qwen");
    config.bosId =
        fields.get<std::int32_t>("bos_token_id", qwen || json.contains("bos_token_id") ? -1 : 1);
    if (!json.contains("eos_token_id")) {
        config.eosIds = qwen ? std::vector<std::int32_t>{} : std::vector<std::int32_t>{2};
    } else {
        config.eosIds = endTokens(json, fields);
    }
}

// Generation ends at these, too: many chat models list the end of a text, beside that of a turn,
// only here.
void addGenerationEnds(const fs::path& file, ModelConfig& config) {
    std::error_code ignored;
    if (!fs::exists(file, ignored)) {
        return;
    }
    const Json json = readBoundedJson(file, kMaxConfigBytes, 32);
    if (!json.contains("eos_token_id")) {
        return;
    }
    for (const std::int32_t id : endTokens(json, Fields(json, file.string()))) {
        if (std::find(config.eosIds.begin(), config.eosIds.end(), id) == config.eosIds.end()) {
            config.eosIds.push_back(id);
        }
    }
}

std::string storedName(const std::string& torchDtype) {
    return torchDtype == "float32"    ? "F32"
           : torchDtype == "float16"  ? "F16"
           : torchDtype == "bfloat16" ? "BF16"
                                      : torchDtype;
}

}  // namespace

ModelConfig modelConfigFromHuggingFace(const fs::path& configFile) {
    const std::string where = configFile.string();
    const Json json = readBoundedJson(configFile, kMaxConfigBytes, 32);
    const Fields fields(json, where);
    ModelConfig config;
    config.architecture = fields.get("model_type", std::string());
    requireSupportedArchitecture(config.architecture, where);
    refuseUnknownFeatures(json, fields, where);
    const bool mistral = config.architecture == "mistral";
    const bool qwen3 = config.architecture == "qwen3";
    const bool qwen = qwen3 || config.architecture == "qwen2";
    config.name = fs::absolute(configFile).lexically_normal().parent_path().filename().string();
    config.hiddenSize = fields.get<std::int64_t>("hidden_size", 4096);
    config.intermediateSize = fields.get<std::int64_t>("intermediate_size", mistral ? 14336
                                                                            : qwen  ? 22016
                                                                                    : 11008);
    config.blocks = fields.get<std::int64_t>("num_hidden_layers", 32);
    config.heads = fields.get<std::int64_t>("num_attention_heads", 32);
    const bool nullHeads = json.contains("num_key_value_heads");  // an explicit null means MHA
    config.keyValueHeads = fields.get<std::int64_t>("num_key_value_heads", nullHeads ? config.heads
                                                                           : mistral ? 8
                                                                           : qwen    ? 32
                                                                                  : config.heads);
    const std::int64_t evenHead = config.heads > 0 ? config.hiddenSize / config.heads : 0;
    config.headDim = fields.get<std::int64_t>("head_dim", qwen3 ? 128 : evenHead);
    config.vocabularySize = fields.get<std::int64_t>("vocab_size", qwen ? 151936 : 32000);
    config.contextLength = fields.get<std::int64_t>("max_position_embeddings", mistral ? 131072
                                                                               : qwen  ? 32768
                                                                                       : 2048);
    config.normEpsilon = fields.get("rms_norm_eps", 1e-6);
    config.tiedEmbeddings = fields.get("tie_word_embeddings", false);
    config.queryKeyNorm = qwen3;
    const bool attentionBias = !mistral && fields.get("attention_bias", false);
    config.queryKeyValueBias = attentionBias || config.architecture == "qwen2";
    config.outputBias = attentionBias && config.architecture != "qwen2";
    config.feedForwardBias = config.architecture == "llama" && fields.get("mlp_bias", false);
    readTokenIds(json, fields, config);
    addGenerationEnds(configFile.parent_path() / "generation_config.json", config);
    // Mistral's class defaults to a window of 4096; an explicit null means none.
    if (mistral) {
        const bool none = json.contains("sliding_window") && json["sliding_window"].is_null();
        config.slidingWindow = none ? 0 : fields.get<std::int64_t>("sliding_window", 4096);
    } else if (qwen && someLayersSlide(json, fields, config.blocks)) {
        throw Error("uses a sliding window in some layers, which is not supported", where,
                    "only Mistral's window over all layers is");
    }
    config.storedDtype =
        storedName(fields.get("dtype", fields.get("torch_dtype", std::string("float32"))));
    readRope(json, fields, where, config);
    config.validate(where);
    return config;
}

}  // namespace cospadi
