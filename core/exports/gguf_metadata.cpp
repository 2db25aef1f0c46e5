#include "core/exports/gguf_metadata.h"

#include <cmath>

#include "core/exports/gguf_tokenizer.h"
#include "core/exports/model_card.h"
#include "core/tensors/block_quantizer.h"

namespace cospadi {

namespace {

void addConfig(GgufMetadata& metadata, const ModelConfig& config) {
    // Mistral is the Llama architecture to llama.cpp.
    const std::string architecture =
        config.architecture == "mistral" ? "llama" : config.architecture;
    metadata.setText("general.architecture", architecture);
    metadata.setText("general.type", "model");
    metadata.setText("general.name", config.name);
    const auto set = [&](const char* key, std::int64_t value) {
        metadata.setU32(architecture + "." + key, static_cast<std::uint32_t>(value));
    };
    set("block_count", config.blocks);
    set("context_length", config.contextLength);
    set("embedding_length", config.hiddenSize);
    set("feed_forward_length", config.intermediateSize);
    set("attention.head_count", config.heads);
    set("attention.head_count_kv", config.keyValueHeads);
    set("attention.key_length", config.headDim);
    set("attention.value_length", config.headDim);
    set("rope.dimension_count", config.headDim);
    set("vocab_size", config.vocabularySize);
    if (config.slidingWindow > 0) {
        set("attention.sliding_window", config.slidingWindow);
    }
    metadata.setF32(architecture + ".attention.layer_norm_rms_epsilon",
                    static_cast<float>(config.normEpsilon));
    metadata.setF32(architecture + ".rope.freq_base", static_cast<float>(config.rope.theta));
    if (config.rope.scaling == RopeScaling::Linear) {
        metadata.setText(architecture + ".rope.scaling.type", "linear");
        metadata.setF32(architecture + ".rope.scaling.factor",
                        static_cast<float>(config.rope.factor));
    }
}

}  // namespace

GgufMetadata ggufMetadata(const WeightSource& source, const GgufTypes& types) {
    GgufMetadata metadata;
    if (source.gguf) {
        metadata.copyFrom(*source.gguf);
        for (const char* key : {"general.alignment", "general.quantization_version", "split.no",
                                "split.count", "split.tensors.count"}) {
            metadata.erase(key);
        }
        if (!source.kept.all()) {
            metadata.setU32(
                source.gguf->string("general.architecture").value_or("") + ".block_count",
                static_cast<std::uint32_t>(source.config.blocks));
        }
    } else {
        addConfig(metadata, source.config);
        if (const std::string licence = licenceOf(source); !licence.empty()) {
            metadata.setText("general.license", licence);
        }
        // Before the tokenizer's own, which win.
        if (source.config.bosId >= 0) {
            metadata.setU32("tokenizer.ggml.bos_token_id",
                            static_cast<std::uint32_t>(source.config.bosId));
        }
        if (!source.config.eosIds.empty()) {
            metadata.setU32("tokenizer.ggml.eos_token_id",
                            static_cast<std::uint32_t>(source.config.eosIds.front()));
        }
        addTokenizer(metadata, source.path, source.config.vocabularySize);
    }
    metadata.setU32("general.file_type", ggufFileType(types));
    if (isWritableBlockType(types.layers)) {
        metadata.setU32("general.quantization_version", 2);  // of the layout of ggml's blocks
    }
    return metadata;
}

std::vector<float> ggufRopeDivisors(const ModelConfig& config) {
    std::vector<float> divisors(config.rope.divisors.begin(), config.rope.divisors.end());
    if (divisors.empty() && config.rope.scaling == RopeScaling::Llama3) {
        const std::vector<double> scaled = config.inverseFrequencies();
        for (std::size_t i = 0; i < scaled.size(); ++i) {
            const double exponent =
                2.0 * static_cast<double>(i) / static_cast<double>(config.headDim);
            divisors.push_back(
                static_cast<float>(std::pow(config.rope.theta, -exponent) / scaled[i]));
        }
    }
    return divisors;
}

}  // namespace cospadi
