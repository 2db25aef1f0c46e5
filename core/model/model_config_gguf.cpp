// ModelConfig from GGUF metadata.
#include <map>

#include "core/base/error.h"
#include "core/model/model_config.h"
#include "core/tensors/gguf.h"

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
    const std::string prefix = config.architecture + ".";
    const auto integer = [&](const char* key, std::int64_t fallback) {
        return file.integer(prefix + key).value_or(fallback);
    };
    config.name = file.string("general.name").value_or(file.path().stem().string());
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
    const std::string scaling = file.string(prefix + "rope.scaling.type").value_or("none");
    config.rope.factor = real(file, prefix + "rope.scaling.factor", 1.0);
    if (scaling == "linear") {
        config.rope.scaling = RopeScaling::Linear;
    } else if (scaling != "none") {
        throw Error("the rope scaling \"" + scaling + "\" is not supported", where,
                    "supported: none, linear, and llama3's rope_freqs tensor");
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
    config.bosId =
        static_cast<std::int32_t>(file.integer("tokenizer.ggml.bos_token_id").value_or(-1));
    if (const auto eos = file.integer("tokenizer.ggml.eos_token_id")) {
        config.eosIds.push_back(static_cast<std::int32_t>(*eos));
    }
    config.storedDtype = mostBytes(file);
    config.validate(where);
    return config;
}

}  // namespace cospadi
