// ModelConfig from a Hugging Face config.json.
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/model/model_config.h"

namespace cospadi {

namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

constexpr std::uintmax_t kMaxConfigBytes = 10'000'000;

Json readJson(const fs::path& path) {
    std::ifstream stream(path, std::ios::binary);
    std::error_code ignored;
    if (!stream) {
        throw Error("cannot be opened", path.string(), "a Hugging Face model has a config.json");
    }
    if (fs::file_size(path, ignored) > kMaxConfigBytes) {
        throw Error("is over 10 MB", path.string(), "fetch the model again");
    }
    const auto shallow = [&](int depth, Json::parse_event_t, Json&) {
        if (depth > 32) {
            throw Error("is nested too deeply", path.string(), "fetch the model again");
        }
        return true;
    };
    try {
        Json json = Json::parse(stream, shallow);
        if (json.is_object()) {
            return json;
        }
    } catch (const Json::exception&) {
    }
    throw Error("is not a JSON object", path.string(), "fetch the model again");
}

// Typed access that treats null as absent.
class Fields {
  public:
    Fields(const Json& json, std::string where) : m_json(json), m_where(std::move(where)) {}

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
                          : std::is_integral_v<T>       ? value.is_number_integer()
                          : std::is_floating_point_v<T> ? value.is_number()
                                                        : value.is_string();
        if (!fits) {
            throw Error("the field " + std::string(key) + " has the wrong type", m_where,
                        "fetch the model again");
        }
        return value.get<T>();
    }

  private:
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
    if (type == "default") {
        return;
    }
    if (type != "linear" && type != "llama3") {
        throw Error("the rope scaling \"" + type + "\" is not supported", where,
                    "supported: default, linear, llama3");
    }
    config.rope.scaling = type == "linear" ? RopeScaling::Linear : RopeScaling::Llama3;
    config.rope.factor = rope.get("factor", 1.0);
    config.rope.lowFrequencyFactor = rope.get("low_freq_factor", 1.0);
    config.rope.highFrequencyFactor = rope.get("high_freq_factor", 4.0);
    config.rope.originalContext =
        rope.get("original_max_position_embeddings", config.contextLength);
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
    const Json json = readJson(configFile);
    const Fields fields(json, where);
    ModelConfig config;
    config.architecture = fields.get("model_type", std::string());
    const bool mistral = config.architecture == "mistral";
    const bool qwen3 = config.architecture == "qwen3";
    const bool qwen = qwen3 || config.architecture == "qwen2";
    config.name = fs::absolute(configFile).parent_path().filename().string();
    config.hiddenSize = fields.get<std::int64_t>("hidden_size", 4096);
    config.intermediateSize = fields.get<std::int64_t>("intermediate_size", mistral ? 14336
                                                                            : qwen  ? 22016
                                                                                    : 11008);
    config.blocks = fields.get<std::int64_t>("num_hidden_layers", 32);
    config.heads = fields.get<std::int64_t>("num_attention_heads", 32);
    config.keyValueHeads = fields.get<std::int64_t>("num_key_value_heads", mistral ? 8
                                                                           : qwen  ? 32
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
    config.bosId = fields.get<std::int32_t>("bos_token_id", -1);
    if (fields.has("eos_token_id")) {
        const Json& eos = json["eos_token_id"];
        for (const Json& id : eos.is_array() ? eos : Json::array({eos})) {
            if (id.is_number_integer()) {
                config.eosIds.push_back(id.get<std::int32_t>());
            }
        }
    }
    // Mistral's class defaults to a window of 4096; an explicit null means none.
    if (mistral) {
        const bool none = json.contains("sliding_window") && json["sliding_window"].is_null();
        config.slidingWindow = none ? 0 : fields.get<std::int64_t>("sliding_window", 4096);
    } else if (qwen && fields.get("use_sliding_window", false) && fields.has("sliding_window")) {
        throw Error("uses a sliding window in some layers, which is not supported", where,
                    "only Mistral's window over all layers is");
    }
    if (const auto activation = fields.get("hidden_act", std::string("silu"));
        activation != "silu") {
        throw Error("the activation \"" + activation + "\" is not supported", where,
                    "supported: silu");
    }
    config.storedDtype =
        storedName(fields.get("dtype", fields.get("torch_dtype", std::string("float32"))));
    readRope(json, fields, where, config);
    config.validate(where);
    return config;
}

}  // namespace cospadi
