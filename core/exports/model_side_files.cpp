#include "core/exports/model_side_files.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/exports/gguf_tokenizer.h"
#include "core/store/run_file.h"
#include "core/tensors/atomic_file.h"
#include "core/tokenizer/tokenizer.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// Carried over as they are, where a folder has them.
constexpr std::array<const char*, 12> kCarried = {"generation_config.json",
                                                  "tokenizer.json",
                                                  "tokenizer_config.json",
                                                  "special_tokens_map.json",
                                                  "added_tokens.json",
                                                  "chat_template.jinja",
                                                  "vocab.json",
                                                  "merges.txt",
                                                  "LICENSE",
                                                  "LICENSE.txt",
                                                  "LICENSE.md",
                                                  "NOTICE"};

// Llama 3's scaling is a table of divisors in a GGUF file and four numbers in a config.json. The
// largest divisor is the factor; the other three have been the same in every release.
bool asLlama3Scaling(ModelConfig& config) {
    ModelConfig guess = config;
    guess.rope.divisors.clear();
    guess.rope.scaling = RopeScaling::Llama3;
    guess.rope.factor = *std::max_element(config.rope.divisors.begin(), config.rope.divisors.end());
    guess.rope.lowFrequencyFactor = 1;
    guess.rope.highFrequencyFactor = 4;
    guess.rope.originalContext = 8192;
    const std::vector<double> theirs = config.inverseFrequencies();
    const std::vector<double> ours = guess.inverseFrequencies();
    for (std::size_t i = 0; i < theirs.size(); ++i) {
        if (std::abs(theirs[i] - ours[i]) > 1e-5 * theirs[i]) {  // the table is float32
            return false;
        }
    }
    config = guess;
    return true;
}

// What a configuration says of blocks: how many, and transformers 5's list of their kinds.
void leaveOut(const WeightSource& source, json& config) {
    if (source.kept.all()) {
        return;
    }
    config["num_hidden_layers"] = source.config.blocks;
    const auto types = config.find("layer_types");
    if (types == config.end() || !types->is_array()) {
        return;
    }
    json left = json::array();
    for (std::size_t block = 0; block < types->size(); ++block) {
        if (source.kept.placeOf(static_cast<std::int64_t>(block))) {
            left.push_back((*types)[block]);
        }
    }
    *types = std::move(left);
}

json generationConfig(const ModelConfig& config) {
    json object{{"_from_model_config", true}};
    if (config.bosId >= 0) {
        object["bos_token_id"] = config.bosId;
    }
    if (!config.eosIds.empty()) {
        object["eos_token_id"] =
            config.eosIds.size() == 1 ? json(config.eosIds[0]) : json(config.eosIds);
    }
    return object;
}

json tokenizerConfig(const GgufFile& file, const ModelConfig& config) {
    json object{{"tokenizer_class", "PreTrainedTokenizerFast"},
                {"model_max_length", config.contextLength},
                {"clean_up_tokenization_spaces", false},
                {"add_bos_token", file.boolean("tokenizer.ggml.add_bos_token").value_or(false)}};
    const auto* tokens = file.strings("tokenizer.ggml.tokens");
    for (const auto& [name, key] : kSpecialTokens) {
        const std::int64_t id = file.integer(key).value_or(-1);
        if (tokens != nullptr && id >= 0 && id < static_cast<std::int64_t>(tokens->size())) {
            object[name] = (*tokens)[static_cast<std::size_t>(id)];
        }
    }
    if (const auto chat = file.string("tokenizer.chat_template")) {
        object["chat_template"] = *chat;
    }
    return object;
}

}  // namespace

json huggingFaceConfig(const WeightSource& source, const std::string& torchDtype) {
    if (source.folder) {
        json config = readRunJson(source.path / "config.json", "fetch the model again");
        config.erase("quantization_config");
        config.erase("dtype");  // transformers 5's name of the same
        config["torch_dtype"] = torchDtype;
        leaveOut(source, config);
        return config;
    }
    ModelConfig config = source.config;
    if (!config.rope.divisors.empty() && !asLlama3Scaling(config)) {
        throw Error(
            "its rope_freqs are not those of a Llama 3, which is all that config.json can say",
            source.path.string(), "export as GGUF, or compress with --no-model");
    }
    return config.toHuggingFace(torchDtype);
}

json tokenizerConfigOf(const WeightSource& source) {
    if (source.gguf) {
        return tokenizerConfig(*source.gguf, source.config);
    }
    json config = json::object();
    if (fs::exists(source.path / "tokenizer_config.json")) {
        config = readRunJson(source.path / "tokenizer_config.json", "fetch the model again");
    }
    if (!config.contains("chat_template") && fs::exists(source.path / "chat_template.jinja")) {
        const auto file = MappedFile::open(source.path / "chat_template.jinja");
        config["chat_template"] =
            std::string(reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size());
    }
    return config;
}

json specialToken(const json& tokenizerConfig, const char* name) {
    const auto entry = tokenizerConfig.find(name);
    if (entry == tokenizerConfig.end()) {
        return nullptr;
    }
    return entry->is_object() ? entry->value("content", json()) : *entry;
}

void writeSideFiles(const WeightSource& source, const fs::path& folder) {
    if (source.gguf) {
        writeFileAtomically(folder / "generation_config.json",
                            generationConfig(source.config).dump(2) + "\n");
        if (source.gguf->string("tokenizer.ggml.model")) {
            writeFileAtomically(folder / "tokenizer.json",
                                Tokenizer::fromGguf(*source.gguf).toTokenizerJson());
            writeFileAtomically(folder / "tokenizer_config.json",
                                tokenizerConfig(*source.gguf, source.config).dump(2) + "\n");
        }
        return;
    }
    for (const char* name : kCarried) {
        if (fs::exists(source.path / name)) {
            const auto file = MappedFile::open(source.path / name);
            writeFileAtomically(folder / name, file->bytes());
        }
    }
    if (!fs::exists(folder / "generation_config.json")) {
        writeFileAtomically(folder / "generation_config.json",
                            generationConfig(source.config).dump(2) + "\n");
    }
}

}  // namespace cospadi
