// What a decoder-only transformer of the Llama family is: sizes, rope, norms, ids.
//
// Read from GGUF metadata or from a Hugging Face config.json, in the style of transformers 5
// (rope_parameters, dtype) and of older ones (rope_theta, rope_scaling, torch_dtype). Absent keys
// mean the defaults of the architecture's class in transformers. Architectures, rope scalings and
// activations that the engine does not compute are refused by name.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace cospadi {

class GgufFile;

enum class RopeScaling { None, Linear, Llama3 };

struct RopeConfig {
    double theta = 10000;
    RopeScaling scaling = RopeScaling::None;
    double factor = 1;
    double lowFrequencyFactor = 1;
    double highFrequencyFactor = 4;
    std::int64_t originalContext = 8192;
    std::vector<double> divisors;  // (headDim/2) of GGUF's rope_freqs; empty where absent
};

struct ModelConfig {
    std::string architecture;  // "llama", "mistral", "qwen2", "qwen3"
    std::string name;          // general.name or the folder's name
    std::int64_t hiddenSize = 0;
    std::int64_t intermediateSize = 0;
    std::int64_t blocks = 0;
    std::int64_t heads = 0;
    std::int64_t keyValueHeads = 0;
    std::int64_t headDim = 0;
    std::int64_t vocabularySize = 0;
    std::int64_t contextLength = 0;
    double normEpsilon = 1e-6;
    std::int64_t slidingWindow = 0;  // tokens seen, the current one included; 0 means all
    RopeConfig rope;
    bool tiedEmbeddings = false;
    bool queryKeyNorm = false;  // Qwen3: RMSNorm over each head of q and k
    bool queryKeyValueBias = false;
    bool outputBias = false;       // of attn_output
    bool feedForwardBias = false;  // of ffn_gate, ffn_up, ffn_down
    std::int32_t bosId = -1;       // -1: none
    std::vector<std::int32_t> eosIds;
    std::string storedDtype;  // of most weights: "Q4_1", "BF16", …

    // Throws cospadi::Error naming `where` for sizes that contradict each other.
    void validate(const std::string& where) const;

    // Whether linear layers of this kind ("attn_q", "ffn_up", …) have a bias.
    bool hasBias(std::string_view kind) const;

    // Inverse frequencies of the rotation, (headDim/2), scaling included; double precision.
    std::vector<double> inverseFrequencies() const;

    // A config.json in the older, most widely read style.
    nlohmann::json toHuggingFace(const std::string& torchDtype) const;
};

ModelConfig modelConfigFromHuggingFace(const std::filesystem::path& configFile);
ModelConfig modelConfigFromGguf(const GgufFile& file);

// Throws cospadi::Error naming the architecture and the supported ones.
void requireSupportedArchitecture(const std::string& architecture, const std::string& where);

// "llama, mistral, qwen2, qwen3", for messages and help.
std::string supportedArchitectures();

}  // namespace cospadi
