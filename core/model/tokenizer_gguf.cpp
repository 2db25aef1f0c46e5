// Tokenizer from GGUF metadata (tokenizer.ggml.*), by way of the tokenizer.json that it amounts to.
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/model/tokenizer_impl.h"
#include "core/tensors/gguf.h"

namespace cospadi {

namespace {

using Json = nlohmann::ordered_json;

enum TokenType : std::int64_t { kControl = 3, kUserDefined = 4 };

Json byteLevel(bool useRegex) {
    return {{"type", "ByteLevel"},
            {"add_prefix_space", false},
            {"trim_offsets", true},
            {"use_regex", useRegex}};
}

Json splitBy(const char* digits) {
    const std::string regex = R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|)" +
                              std::string(digits) +
                              R"(| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
    return {{"type", "Split"},
            {"pattern", {{"Regex", regex}}},
            {"behavior", "Isolated"},
            {"invert", false}};
}

Json sequence(const Json& first, const Json& second) {
    return {{"type", "Sequence"}, {"pretokenizers", Json::array({first, second})}};
}

struct Recipe {
    Json preTokenizer;
    bool nfc = false;
    bool ignoreMerges = false;
};

Recipe recipeFor(const std::string& name, const std::string& where) {
    if (name == "smollm") {
        return {sequence({{"type", "Digits"}, {"individual_digits", true}}, byteLevel(true))};
    }
    if (name == "llama-bpe" || name == "llama3" || name == "llama-v3") {
        return {sequence(splitBy(R"(\p{N}{1,3})"), byteLevel(false)), false, true};
    }
    if (name == "qwen2") {
        return {sequence(splitBy(R"(\p{N})"), byteLevel(false)), true};
    }
    if (name == "gpt-2") {
        return {byteLevel(true)};
    }
    throw Error("the pre-tokenizer \"" + name + "\" is not supported", where,
                "supported: smollm, llama-bpe, qwen2, gpt-2");
}

struct Vocabulary {
    std::shared_ptr<const MappedFile> owner;
    std::vector<std::string_view> tokens;
    std::vector<std::string_view> merges;
    std::vector<AddedToken> added;
    Recipe recipe;
    std::string bos;  // content of the begin token, where texts begin with it
    std::int32_t bosId = -1;
};

std::string toJson(const Vocabulary& source) {
    Json added = Json::array();
    for (const AddedToken& token : source.added) {
        added.push_back({{"id", token.id},
                         {"content", token.content},
                         {"single_word", false},
                         {"lstrip", false},
                         {"rstrip", false},
                         {"normalized", false},
                         {"special", token.special}});
    }
    // ordered_json looks every key up in a list: build the 10^5 entries as one text instead.
    std::string text = "{";
    for (std::size_t id = 0; id < source.tokens.size(); ++id) {
        text += id > 0 ? "," : "";
        text += Json(std::string(source.tokens[id])).dump();
        text += ":";
        text += std::to_string(id);
    }
    text += "}";
    std::string merges = Json(source.merges).dump();
    Json post = nullptr;
    if (!source.bos.empty()) {
        post = {{"type", "TemplateProcessing"},
                {"single",
                 {{{"SpecialToken", {{"id", source.bos}, {"type_id", 0}}}},
                  {{"Sequence", {{"id", "A"}, {"type_id", 0}}}}}},
                {"pair",
                 {{{"SpecialToken", {{"id", source.bos}, {"type_id", 0}}}},
                  {{"Sequence", {{"id", "A"}, {"type_id", 0}}}},
                  {{"SpecialToken", {{"id", source.bos}, {"type_id", 1}}}},
                  {{"Sequence", {{"id", "B"}, {"type_id", 1}}}}}},
                {"special_tokens",
                 {{source.bos,
                   {{"id", source.bos},
                    {"ids", Json::array({source.bosId})},
                    {"tokens", Json::array({source.bos})}}}}}};
    }
    const Json normalizer = source.recipe.nfc ? Json{{"type", "NFC"}} : Json(nullptr);
    const Json decoder = byteLevel(true);
    return std::string(R"({"version":"1.0","truncation":null,"padding":null,"added_tokens":)") +
           added.dump() + R"(,"normalizer":)" + normalizer.dump() + R"(,"pre_tokenizer":)" +
           source.recipe.preTokenizer.dump() + R"(,"post_processor":)" + post.dump() +
           R"(,"decoder":)" + decoder.dump() +
           R"(,"model":{"type":"BPE","dropout":null,"unk_token":null,)" +
           R"("continuing_subword_prefix":null,"end_of_word_suffix":null,"fuse_unk":false,)" +
           R"("byte_fallback":false,"ignore_merges":)" +
           (source.recipe.ignoreMerges ? "true" : "false") + R"(,"vocab":)" + text +
           R"(,"merges":)" + merges + "}}";
}

}  // namespace

Tokenizer Tokenizer::fromGguf(const GgufFile& file) {
    const std::string where = file.path().string();
    const std::string model = file.string("tokenizer.ggml.model").value_or("");
    const auto* tokens = file.strings("tokenizer.ggml.tokens");
    const auto* merges = file.strings("tokenizer.ggml.merges");
    if (model != "gpt2" || tokens == nullptr || merges == nullptr) {
        throw Error("the tokenizer \"" + model + "\" is not supported", where,
                    "supported: gpt2 (byte-level BPE) with tokens and merges");
    }
    auto source = std::make_shared<Vocabulary>();
    source->owner = file.mapping();
    source->tokens = *tokens;
    source->merges = *merges;
    source->recipe = recipeFor(file.string("tokenizer.ggml.pre").value_or("gpt-2"), where);

    auto impl = std::make_unique<Impl>();
    const auto* types = file.integers("tokenizer.ggml.token_type");
    for (std::size_t i = 0; i < tokens->size(); ++i) {
        const auto id = static_cast<std::int32_t>(i);
        const std::string text((*tokens)[i]);
        impl->setToken(id, text, where);
        impl->bpe.addToken(text, id);
        const std::int64_t type = types != nullptr && i < types->size() ? (*types)[i] : 1;
        if (type == kControl || type == kUserDefined) {
            AddedToken token;
            token.content = text;
            token.id = id;
            token.special = type == kControl;
            impl->addAdded(token, where);
            source->added.push_back(token);
        }
    }
    impl->bpe.setIgnoreMerges(source->recipe.ignoreMerges);
    impl->bpe.finishVocabulary();
    for (const std::string_view merge : *merges) {
        const std::size_t space = merge.find(' ');
        if (space == std::string_view::npos ||
            !impl->bpe.addMerge(merge.substr(0, space), merge.substr(space + 1))) {
            throw Error("the merge \"" + std::string(merge) + "\" does not fit the vocabulary",
                        where, "fetch the model again");
        }
    }
    impl->nfc = source->recipe.nfc;
    impl->preTokenizer.emplace(nlohmann::json(source->recipe.preTokenizer), where);
    const auto special = [&](const char* key) {
        const std::int64_t id = file.integer(key).value_or(-1);
        return id < static_cast<std::int64_t>(tokens->size()) ? static_cast<std::int32_t>(id) : -1;
    };
    impl->bosId = special("tokenizer.ggml.bos_token_id");
    impl->eosId = special("tokenizer.ggml.eos_token_id");
    if (file.boolean("tokenizer.ggml.add_bos_token").value_or(false) && impl->bosId >= 0) {
        impl->prefix.push_back(impl->bosId);
        source->bosId = impl->bosId;
        source->bos = std::string((*tokens)[static_cast<std::size_t>(impl->bosId)]);
    }
    impl->makeJson = [source] { return toJson(*source); };
    return Tokenizer(std::move(impl));
}

}  // namespace cospadi
