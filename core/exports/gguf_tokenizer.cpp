#include "core/exports/gguf_tokenizer.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/base/error.h"
#include "core/exports/model_side_files.h"
#include "core/store/run_file.h"
#include "core/tokenizer/post_processor.h"

namespace cospadi {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

enum TokenType : std::int32_t { kNormal = 1, kControl = 3, kUserDefined = 4, kUnused = 5 };

constexpr const char* kHint = "export with --format hf instead";
constexpr const char* kFetchAgain = "fetch the model again";

// Every regex of a Split, and the types of all steps: what tells the known pre-tokenizers apart.
struct PreTokenizerFacts {
    std::string types;
    std::string regex;
};

void collect(const json& step, PreTokenizerFacts& facts) {
    const std::string type = step.value("type", "");
    if (type == "Sequence") {
        for (const json& inner : step.at("pretokenizers")) {
            collect(inner, facts);
        }
        return;
    }
    facts.types += (facts.types.empty() ? "" : " ") + type;
    if (type == "Split") {
        facts.regex += step.at("pattern").value("Regex", "?");
    }
}

// llama.cpp's name of a pre-tokenizer; nullopt where it has none that we know.
std::optional<std::string> preTokenizerName(const json& tokenizer) {
    const json none = json::object();
    PreTokenizerFacts facts;
    const auto step = tokenizer.find("pre_tokenizer");
    collect(step != tokenizer.end() && step->is_object() ? *step : none, facts);
    if (facts.types == "ByteLevel") {
        return "gpt-2";
    }
    if (facts.types == "Digits ByteLevel") {
        return "smollm";
    }
    const auto splitBy = [](const char* digits) {
        return fmt::format(
            "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{{L}}\\p{{N}}]?\\p{{L}}+|{}| "
            "?[^\\s\\p{{L}}\\p{{N}}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
            digits);
    };
    if (facts.types == "Split ByteLevel" && facts.regex == splitBy("\\p{N}{1,3}")) {
        return "llama-bpe";
    }
    if (facts.types == "Split ByteLevel" && facts.regex == splitBy("\\p{N}")) {
        return "qwen2";
    }
    return std::nullopt;
}

struct Vocabulary {
    std::vector<std::string> tokens;
    std::vector<std::int32_t> types;
    std::map<std::string, std::uint32_t> idOf;

    void set(std::int64_t id, const std::string& text, TokenType type, const fs::path& where) {
        if (id < 0 || id >= static_cast<std::int64_t>(tokens.size())) {
            throw Error(
                fmt::format("token {} lies outside the embedding's {} rows", id, tokens.size()),
                where.string(), "tokenizer and model do not belong together");
        }
        tokens[static_cast<std::size_t>(id)] = text;
        types[static_cast<std::size_t>(id)] = type;
        idOf[text] = static_cast<std::uint32_t>(id);
    }
};

Vocabulary vocabularyOf(const json& tokenizer, std::int64_t size, const fs::path& where) {
    Vocabulary vocabulary;
    for (std::int64_t id = 0; id < size; ++id) {
        vocabulary.tokens.push_back(fmt::format("[PAD{}]", id));
    }
    vocabulary.types.assign(static_cast<std::size_t>(size), kUnused);
    const json& entries = tokenizer.at("model").at("vocab");
    for (const auto& [text, id] : entries.items()) {
        vocabulary.set(id.get<std::int64_t>(), text, kNormal, where);
    }
    const auto added = tokenizer.find("added_tokens");
    if (added != tokenizer.end()) {
        for (const json& token : *added) {
            vocabulary.set(token.at("id").get<std::int64_t>(),
                           token.at("content").get<std::string>(),
                           token.value("special", false) ? kControl : kUserDefined, where);
        }
    }
    return vocabulary;
}

// "a b", or ["a", "b"] in newer files.
std::vector<std::string> mergesOf(const json& model) {
    std::vector<std::string> merges;
    for (const json& merge : model.at("merges")) {
        merges.push_back(merge.is_string() ? merge.get<std::string>()
                                           : merge.at(0).get<std::string>() + " " +
                                                 merge.at(1).get<std::string>());
    }
    return merges;
}

// A special token of tokenizer_config.json: its text, or an object that holds it.
std::optional<std::uint32_t> specialId(const json& config, const char* name,
                                       const Vocabulary& vocabulary) {
    const auto entry = config.find(name);
    if (entry == config.end() || entry->is_null()) {
        return std::nullopt;
    }
    const std::string text = entry->is_object()   ? entry->value("content", "")
                             : entry->is_string() ? entry->get<std::string>()
                                                  : "";
    const auto found = vocabulary.idOf.find(text);
    return found == vocabulary.idOf.end() ? std::nullopt : std::optional(found->second);
}

// A switch of tokenizer_config.json; where it is absent or null, what tokenizer.json does.
bool switchOf(const json& config, const char* name, bool otherwise) {
    const auto entry = config.find(name);
    return entry == config.end() || entry->is_null() ? otherwise : entry->get<bool>();
}

void addSpecialTokens(GgufMetadata& metadata, const fs::path& folder, const TokensAround& around,
                      const Vocabulary& vocabulary) {
    const fs::path path = folder / "tokenizer_config.json";
    json config = json::object();
    if (fs::exists(path)) {
        config = readRunJson(path, kFetchAgain);
    }
    try {
        for (const auto& [name, key] : kSpecialTokens) {
            if (const auto id = specialId(config, name, vocabulary)) {
                metadata.setU32(key, *id);
            }
        }
        metadata.setBool("tokenizer.ggml.add_bos_token",
                         switchOf(config, "add_bos_token", !around.before.empty()));
        metadata.setBool("tokenizer.ggml.add_eos_token",
                         switchOf(config, "add_eos_token", !around.after.empty()));
    } catch (const json::exception& error) {
        throw Error(fmt::format("a field has the wrong type: {}", error.what()), path.string(),
                    kFetchAgain);
    }
    // transformers, too, prefers the file to the field.
    if (fs::exists(folder / "chat_template.jinja")) {
        metadata.setText("tokenizer.chat_template", readTextFile(folder / "chat_template.jinja"));
    } else if (const json chat = chatTemplateText(config); chat.is_string()) {
        metadata.setText("tokenizer.chat_template", chat.get<std::string>());
    }
}

}  // namespace

void addTokenizer(GgufMetadata& metadata, const fs::path& folder, std::int64_t vocabularySize) {
    const fs::path path = folder / "tokenizer.json";
    const json tokenizer = readRunJson(path, kHint);
    try {
        const json& model = tokenizer.at("model");
        const std::string type = model.value("type", "BPE");
        if (type != "BPE" || model.value("byte_fallback", false)) {
            throw Error(fmt::format("the tokenizer ({}{}) cannot be written as GGUF", type,
                                    model.value("byte_fallback", false) ? ", byte fallback" : ""),
                        path.string(), kHint);
        }
        const std::optional<std::string> pre = preTokenizerName(tokenizer);
        if (!pre) {
            throw Error("its pre-tokenizer has no known name in llama.cpp", path.string(), kHint);
        }
        const Vocabulary vocabulary = vocabularyOf(tokenizer, vocabularySize, path);
        metadata.setText("tokenizer.ggml.model", "gpt2");
        metadata.setText("tokenizer.ggml.pre", *pre);
        metadata.setTexts("tokenizer.ggml.tokens", vocabulary.tokens);
        metadata.setI32s("tokenizer.ggml.token_type", vocabulary.types);
        metadata.setTexts("tokenizer.ggml.merges", mergesOf(model));
        const json post = tokenizer.value("post_processor", json());
        addSpecialTokens(metadata, folder, readPostProcessor(post, path.string()), vocabulary);
    } catch (const json::exception& error) {
        throw Error(fmt::format("a field is missing or has the wrong type: {}", error.what()),
                    path.string(), kFetchAgain);
    }
}

}  // namespace cospadi
