// ModelConfig from GGUF metadata.
#include <algorithm>
#include <map>

#include "core/base/error.h"
#include "core/model/model_config.h"
#include "core/tensors/gguf.h"
#include "core/tensors/printable_name.h"

namespace cospadi {

namespace {

// Number types vary between converters: accept whole numbers where reals are meant.
double real(const GgufFile& file, const std::string& key, double fallback) {
    const auto found = file.metadata().find(key);
    if (found != file.metadata().end() && std::holds_alternative<std::int64_t>(found->second)) {
        return static_cast<double>(std::get<std::int64_t>(found->second));
    }
    return file.number(key).value_or(fallback);
}

// llama.cpp's order: no type beside a factor means linear; scale_linear is the factor's old name.
void readRopeScaling(const GgufFile& file, const std::string& prefix, ModelConfig& config) {
    config.rope.factor =
        real(file, prefix + "rope.scaling.factor", real(file, prefix + "rope.scale_linear", 0.0));
    if (config.rope.factor == 0) {
        config.rope.factor = 1;
    }
    const std::string type = file.string(prefix + "rope.scaling.type").value_or("linear");
    if (type == "linear") {
        config.rope.scaling = config.rope.factor == 1 ? RopeScaling::None : RopeScaling::Linear;
    } else if (type != "none") {
        throw Error("the rope scaling \"" + printableName(type) + "\" is not supported",
                    file.path().string(),
                    "supported: none, linear, and llama3's rope_freqs tensor");
    }
}

// -1 where absent or out of range (converters write 2^32 - 1 for none).
std::int32_t tokenId(const GgufFile& file, const char* key) {
    const std::int64_t id = file.integer(key).value_or(-1);
    return id >= 0 && id <= INT32_MAX ? static_cast<std::int32_t>(id) : -1;
}

// Of the text, of a turn and of a message that calls a tool, the same as in llama.cpp.
std::vector<std::int32_t> endTokens(const GgufFile& file) {
    std::vector<std::int32_t> ids;
    for (const char* key : {"tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id",
                            "tokenizer.ggml.eom_token_id"}) {
        const std::int32_t id = tokenId(file, key);
        if (id >= 0 && std::find(ids.begin(), ids.end(), id) == ids.end()) {
            ids.push_back(id);
        }
    }
    return ids;
}

std::string mostBytes(const GgufFile& file) {
    std::map<std::string, std::size_t> bytes;
    std::string best;
    for (const TensorView& tensor : file.tensors()) {
        const std::string name(dtypeName(tensor.dtype));
        if ((bytes[name] += tensor.bytes.size()) >= bytes[best]) {
            best = name;
        }
    }
    return best;
}

}  // namespace

ModelConfig modelConfigFromGguf(const GgufFile& file) {
    const std::string where = file.path().string();
    ModelConfig config;
    config.architecture = file.string("general.architecture").value_or("");
    requireSupportedArchitecture(config.architecture, where);
    const std::string prefix = config.architecture + ".";
    const auto integer = [&](const char* key, std::int64_t fallback) {
        return file.integer(prefix + key).value_or(fallback);
    };
    config.name = printableName(file.string("general.name").value_or(file.path().stem().string()));
    config.hiddenSize = integer("embedding_length", 0);
    config.intermediateSize = integer("feed_forward_length", 0);
    config.blocks = integer("block_count", 0);
    config.heads = integer("attention.head_count", 0);
    config.keyValueHeads = integer("attention.head_count_kv", config.heads);
    config.headDim =
        integer("attention.key_length", config.heads > 0 ? config.hiddenSize / config.heads : 0);
    config.contextLength = integer("context_length", 0);
    config.normEpsilon = real(file, prefix + "attention.layer_norm_rms_epsilon", 1e-5);
    config.rope.theta = real(file, prefix + "rope.freq_base", 10000.0);
    readRopeScaling(file, prefix, config);
    for (const char* key : {"attention.value_length", "rope.dimension_count"}) {
        if (integer(key, config.headDim) != config.headDim) {
            throw Error(prefix + key + " differs from the head size, which is not supported", where,
                        "supported: " + supportedArchitectures());
        }
    }
    if (integer("expert_count", 0) > 0) {
        throw Error("is a mixture of experts, which is not supported", where,
                    "supported: " + supportedArchitectures());
    }
    if (const TensorView* factors = file.find("rope_freqs.weight")) {
        for (const float factor : factors->toFloat()) {
            config.rope.divisors.push_back(factor);
        }
    }
    config.slidingWindow = integer("attention.sliding_window", 0);
    config.tiedEmbeddings = file.find("output.weight") == nullptr;
    config.queryKeyNorm = config.architecture == "qwen3";
    if (const auto* tokens = file.strings("tokenizer.ggml.tokens")) {
        config.vocabularySize = static_cast<std::int64_t>(tokens->size());
    }
    if (const TensorView* embedding = file.find("token_embd.weight")) {
        config.vocabularySize = embedding->shape[0];
    }
    // llama.cpp computes a bias where there is one; the first block speaks for all.
    config.queryKeyValueBias = file.find("blk.0.attn_q.bias") != nullptr;
    config.outputBias = file.find("blk.0.attn_output.bias") != nullptr;
    config.feedForwardBias = file.find("blk.0.ffn_up.bias") != nullptr;
    config.bosId = tokenId(file, "tokenizer.ggml.bos_token_id");
    config.eosIds = endTokens(file);
    config.storedDtype = mostBytes(file);
    config.validate(where);
    return config;
}

}  // namespace cospadi
