#include "core/model/model_config.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <string_view>

#include "core/base/error.h"
#include "core/tensors/printable_name.h"

namespace cospadi {

namespace {

constexpr std::array<std::string_view, 4> kArchitectures = {"llama", "mistral", "qwen2", "qwen3"};
constexpr std::int64_t kLargest = 1 << 24;  // no size of a real model comes near

// Wavelengths below originalContext/high stay, those above originalContext/low are stretched by
// factor, between them the two are blended (Llama 3.1).
double llama3Frequency(double frequency, const RopeConfig& rope) {
    const double wavelength = 2 * std::numbers::pi / frequency;
    const auto context = static_cast<double>(rope.originalContext);
    if (wavelength < context / rope.highFrequencyFactor) {
        return frequency;
    }
    if (wavelength > context / rope.lowFrequencyFactor) {
        return frequency / rope.factor;
    }
    const double smooth = (context / wavelength - rope.lowFrequencyFactor) /
                          (rope.highFrequencyFactor - rope.lowFrequencyFactor);
    return (1 - smooth) * frequency / rope.factor + smooth * frequency;
}

}  // namespace

void ModelConfig::validate(const std::string& where) const {
    const auto require = [&](bool condition, const std::string& what) {
        if (!condition) {
            throw Error(what, where, "the configuration is damaged or of an unknown kind");
        }
    };
    requireSupportedArchitecture(architecture, where);
    for (const std::int64_t size : {hiddenSize, intermediateSize, blocks, heads, keyValueHeads,
                                    headDim, vocabularySize, contextLength}) {
        require(size >= 1 && size <= kLargest, "a size is missing, zero, negative or implausible");
    }
    require(heads % keyValueHeads == 0,
            "the number of heads is not a multiple of the number of key/value heads");
    require(headDim % 2 == 0, "the head size is odd");
    require(headDim * heads <= kLargest, "the heads are too large");
    require(normEpsilon > 0 && normEpsilon < 1, "the epsilon of the norms is out of range");
    require(std::isfinite(rope.theta) && rope.theta > 1, "rope theta is out of range");
    require(std::isfinite(rope.factor) && rope.factor > 0, "the rope factor is out of range");
    require(slidingWindow >= 0, "the sliding window is negative");
    if (rope.scaling == RopeScaling::Llama3) {
        require(rope.lowFrequencyFactor > 0 && rope.originalContext > 0 &&
                    rope.highFrequencyFactor > rope.lowFrequencyFactor,
                "the llama3 rope factors are out of range");
    }
    require(rope.divisors.empty() || static_cast<std::int64_t>(rope.divisors.size()) == headDim / 2,
            "rope_freqs does not fit the head size");
    require(std::all_of(rope.divisors.begin(), rope.divisors.end(),
                        [](double divisor) { return std::isfinite(divisor) && divisor > 0; }),
            "rope_freqs holds values out of range");
}

bool ModelConfig::hasBias(std::string_view kind) const {
    if (kind == "attn_output") {
        return outputBias;
    }
    return kind.starts_with("attn_") ? queryKeyValueBias : feedForwardBias;
}

std::vector<double> ModelConfig::inverseFrequencies() const {
    std::vector<double> result(static_cast<std::size_t>(headDim / 2));
    for (std::size_t i = 0; i < result.size(); ++i) {
        const double exponent = 2.0 * static_cast<double>(i) / static_cast<double>(headDim);
        double frequency = std::pow(rope.theta, -exponent);
        if (!rope.divisors.empty()) {
            frequency /= rope.divisors[i];
        } else if (rope.scaling == RopeScaling::Llama3) {
            frequency = llama3Frequency(frequency, rope);
        }
        if (rope.scaling == RopeScaling::Linear) {  // beside divisors, too, as in llama.cpp
            frequency /= rope.factor;
        }
        result[i] = frequency;
    }
    return result;
}

nlohmann::json ModelConfig::toHuggingFace(const std::string& torchDtype) const {
    constexpr std::array<const char*, 4> kClasses = {"LlamaForCausalLM", "MistralForCausalLM",
                                                     "Qwen2ForCausalLM", "Qwen3ForCausalLM"};
    const auto position = std::find(kArchitectures.begin(), kArchitectures.end(), architecture) -
                          kArchitectures.begin();
    nlohmann::json json = {{"architectures", {kClasses.at(static_cast<std::size_t>(position))}},
                           {"model_type", architecture},
                           {"hidden_act", "silu"},
                           {"hidden_size", hiddenSize},
                           {"intermediate_size", intermediateSize},
                           {"num_hidden_layers", blocks},
                           {"num_attention_heads", heads},
                           {"num_key_value_heads", keyValueHeads},
                           {"head_dim", headDim},
                           {"vocab_size", vocabularySize},
                           {"max_position_embeddings", contextLength},
                           {"rms_norm_eps", normEpsilon},
                           {"rope_theta", rope.theta},
                           {"rope_scaling", nullptr},
                           {"tie_word_embeddings", tiedEmbeddings},
                           {"torch_dtype", torchDtype}};
    if (outputBias) {  // never without the others: the class has one switch for the four
        json["attention_bias"] = true;
    }
    if (feedForwardBias) {
        json["mlp_bias"] = true;
    }
    if (architecture == "mistral") {
        json["sliding_window"] = nullptr;
        if (slidingWindow > 0) {
            json["sliding_window"] = slidingWindow;
        }
    }
    if (rope.scaling == RopeScaling::Linear) {
        json["rope_scaling"] = {{"rope_type", "linear"}, {"factor", rope.factor}};
    } else if (rope.scaling == RopeScaling::Llama3) {
        json["rope_scaling"] = {{"rope_type", "llama3"},
                                {"factor", rope.factor},
                                {"low_freq_factor", rope.lowFrequencyFactor},
                                {"high_freq_factor", rope.highFrequencyFactor},
                                {"original_max_position_embeddings", rope.originalContext}};
    }
    if (bosId >= 0) {
        json["bos_token_id"] = bosId;
    }
    if (eosIds.size() == 1) {
        json["eos_token_id"] = eosIds[0];
    } else if (!eosIds.empty()) {
        json["eos_token_id"] = eosIds;
    }
    return json;
}

void requireSupportedArchitecture(const std::string& architecture, const std::string& where) {
    if (std::find(kArchitectures.begin(), kArchitectures.end(), architecture) ==
        kArchitectures.end()) {
        throw Error("the architecture \"" + printableName(architecture) + "\" is not supported",
                    where, "supported: " + supportedArchitectures());
    }
}

std::string supportedArchitectures() {
    std::string list;
    for (const std::string_view name : kArchitectures) {
        list += (list.empty() ? "" : ", ") + std::string(name);
    }
    return list;
}

}  // namespace cospadi
