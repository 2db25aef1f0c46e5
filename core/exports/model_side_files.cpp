#include "core/exports/model_side_files.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/exports/gguf_tokenizer.h"
#include "core/store/run_file.h"
#include "core/tensors/atomic_file.h"
#include "core/tensors/mapped_file.h"
#include "core/tokenizer/tokenizer.h"
#include "core/tokenizer/utf8.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// Carried over as they are, where a folder has them.
constexpr std::array<const char*, 13> kCarried = {"generation_config.json",
                                                  "tokenizer.json",
                                                  "tokenizer.model",
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

// GGUF has one name for Llama and Mistral, and biases wherever they are; each class of transformers
// has its own set of biases, and only Mistral's a window over all layers.
void takeClassOf(ModelConfig& config, const std::string& where) {
    const bool anyBias = config.queryKeyValueBias || config.outputBias || config.feedForwardBias;
    if (config.architecture == "llama" && config.slidingWindow > 0 && !anyBias) {
        config.architecture = "mistral";
    }
    const bool mistral = config.architecture == "mistral";
    const bool qwen2 = config.architecture == "qwen2";
    const bool attentionFits = qwen2     ? config.queryKeyValueBias && !config.outputBias
                               : mistral ? !config.queryKeyValueBias && !config.outputBias
                                         : config.queryKeyValueBias == config.outputBias;
    if (!attentionFits || (config.feedForwardBias && config.architecture != "llama")) {
        throw Error("its layers have biases that no class of transformers supports", where,
                    "export as GGUF, or compress with --no-model");
    }
    if (config.slidingWindow > 0 && !mistral) {
        throw Error("has a sliding window, which config.json supports only for Mistral", where,
                    "export as GGUF, or compress with --no-model");
    }
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
                {"clean_up_tokenization_spaces", false}};
    // Where the file leaves it to the kind of tokenizer, tokenizer.json alone says it.
    if (const auto begins = file.boolean("tokenizer.ggml.add_bos_token")) {
        object["add_bos_token"] = *begins;
        object["add_eos_token"] = file.boolean("tokenizer.ggml.add_eos_token").value_or(false);
    }
    const auto* tokens = file.strings("tokenizer.ggml.tokens");
    for (const auto& [name, key] : kSpecialTokens) {
        const std::int64_t id = file.integer(key).value_or(-1);
        if (tokens != nullptr && id >= 0 && id < static_cast<std::int64_t>(tokens->size())) {
            object[name] = toValidUtf8((*tokens)[static_cast<std::size_t>(id)]);
        }
    }
    if (const auto chat = file.string("tokenizer.chat_template")) {
        object["chat_template"] = toValidUtf8(*chat);
    }
    return object;
}

// Name and text of the files that are made rather than carried over.
std::vector<std::pair<const char*, std::string>> madeFiles(const WeightSource& source) {
    std::vector<std::pair<const char*, std::string>> files;
    if (source.gguf || !fs::exists(source.path / "generation_config.json")) {
        files.emplace_back("generation_config.json",
                           generationConfig(source.config).dump(2) + "\n");
    }
    if (source.gguf && source.gguf->string("tokenizer.ggml.model")) {
        files.emplace_back("tokenizer.json", Tokenizer::fromGguf(*source.gguf).toTokenizerJson());
        files.emplace_back("tokenizer_config.json",
                           tokenizerConfig(*source.gguf, source.config).dump(2) + "\n");
    }
    return files;
}

// Those that are carried over. Throws Error naming the file that is empty or cannot be read.
std::vector<std::pair<const char*, std::shared_ptr<const MappedFile>>> carriedFiles(
    const WeightSource& source) {
    std::vector<std::pair<const char*, std::shared_ptr<const MappedFile>>> files;
    if (source.gguf) {
        return files;
    }
    for (const char* name : kCarried) {
        if (fs::exists(source.path / name)) {
            files.emplace_back(name, MappedFile::open(source.path / name));
        }
    }
    return files;
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
        throw Error("its rope_freqs are not those of Llama 3, the only ones config.json supports",
                    source.path.string(), "export as GGUF, or compress with --no-model");
    }
    takeClassOf(config, source.path.string());
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
    // transformers, too, prefers the file to the field.
    if (fs::exists(source.path / "chat_template.jinja")) {
        config["chat_template"] = toValidUtf8(readTextFile(source.path / "chat_template.jinja"));
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

json chatTemplateText(const json& tokenizerConfig) {
    const json found = tokenizerConfig.value("chat_template", json());
    if (!found.is_array()) {
        return found.is_string() ? found : json();
    }
    for (const json& entry : found) {
        if (entry.is_object() && entry.value("name", json()) == "default") {
            return entry.value("template", json());
        }
    }
    return nullptr;
}

void requireSideFiles(const WeightSource& source) {
    static_cast<void>(huggingFaceConfig(source, "float32"));
    static_cast<void>(madeFiles(source));
    static_cast<void>(carriedFiles(source));
}

void writeSideFiles(const WeightSource& source, const fs::path& folder) {
    for (const auto& [name, text] : madeFiles(source)) {
        writeFileAtomically(folder / name, text);
    }
    for (const auto& [name, file] : carriedFiles(source)) {
        writeFileAtomically(folder / name, file->bytes());
    }
}

}  // namespace cospadi
