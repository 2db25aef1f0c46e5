// Tokenizer from GGUF metadata (tokenizer.ggml.*), by way of the tokenizer.json that it amounts to.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/tensors/gguf.h"
#include "core/tokenizer/known_patterns.h"
#include "core/tokenizer/sentencepiece_merges.h"
#include "core/tokenizer/tokenizer_impl.h"
#include "core/tokenizer/utf8.h"

namespace cospadi {

namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr const char* kFetchModel = "fetch the model again";
constexpr const char* kMeta = "\xE2\x96\x81";  // ▁, SentencePiece's space

enum TokenType : std::int64_t {
    kNormal = 1,
    kUnknown = 2,
    kControl = 3,
    kUserDefined = 4,
    kByte = 6
};

// What the metadata amount to, in the words of a tokenizer.json.
struct Recipe {
    OrderedJson normalizer, preTokenizer, decoder;
    bool ignoreMerges = false;
    bool sentencePiece = false;
    bool addBos = false;
};

OrderedJson byteLevel(bool useRegex) {
    return {{"type", "ByteLevel"},
            {"add_prefix_space", false},
            {"trim_offsets", true},
            {"use_regex", useRegex}};
}

OrderedJson splitBy(const char* regex) {
    return {{"type", "Split"},
            {"pattern", {{"Regex", regex}}},
            {"behavior", "Isolated"},
            {"invert", false}};
}

OrderedJson sequence(const char* key, const OrderedJson& parts) {
    OrderedJson result{{"type", "Sequence"}};
    result[key] = parts;
    return result;
}

OrderedJson two(const OrderedJson& first, const OrderedJson& second) {
    OrderedJson result = OrderedJson::array();
    result.push_back(first);
    result.push_back(second);
    return result;
}

OrderedJson replace(const char* what, const char* by) {
    return {{"type", "Replace"}, {"pattern", {{"String", what}}}, {"content", by}};
}

Recipe byteLevelRecipe(const std::string& name, const std::string& where) {
    Recipe recipe;
    recipe.decoder = byteLevel(true);
    if (name == "smollm") {
        recipe.preTokenizer = sequence(
            "pretokenizers",
            two(OrderedJson{{"type", "Digits"}, {"individual_digits", true}}, byteLevel(true)));
    } else if (name == "llama-bpe" || name == "llama3" || name == "llama-v3") {
        recipe.preTokenizer =
            sequence("pretokenizers", two(splitBy(kLlama3Pattern), byteLevel(false)));
        recipe.ignoreMerges = true;
        recipe.addBos = true;
    } else if (name == "qwen2") {
        recipe.preTokenizer =
            sequence("pretokenizers", two(splitBy(kQwen2Pattern), byteLevel(false)));
        recipe.normalizer = {{"type", "NFC"}};
    } else if (name == "gpt-2") {
        recipe.preTokenizer = byteLevel(true);
    } else {
        throw Error("the pre-tokenizer \"" + name + "\" is not supported", where,
                    "supported: smollm, llama-bpe, qwen2, gpt-2");
    }
    return recipe;
}

// Files of before the key was introduced have none; of these architectures there is but one.
std::string preTokenizerOf(const GgufFile& file, const std::string& where) {
    if (const auto name = file.string("tokenizer.ggml.pre")) {
        return *name;
    }
    const std::string architecture = file.string("general.architecture").value_or("");
    if (architecture == "qwen2" || architecture == "qwen3") {
        return "qwen2";
    }
    throw Error("does not specify its pre-tokenizer (tokenizer.ggml.pre)", where,
                "convert the model again with a newer llama.cpp");
}

Recipe sentencePieceRecipe(bool spacePrefix) {
    Recipe recipe;
    recipe.sentencePiece = true;
    recipe.addBos = true;
    OrderedJson normalizers = OrderedJson::array();
    if (spacePrefix) {
        normalizers.push_back(OrderedJson{{"type", "Prepend"}, {"prepend", kMeta}});
    }
    normalizers.push_back(replace(" ", kMeta));
    OrderedJson decoders = OrderedJson::array();
    decoders.push_back(replace(kMeta, " "));
    decoders.push_back(OrderedJson{{"type", "ByteFallback"}});
    decoders.push_back(OrderedJson{{"type", "Fuse"}});
    if (spacePrefix) {
        decoders.push_back(
            OrderedJson{{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}});
    }
    recipe.normalizer = sequence("normalizers", normalizers);
    recipe.decoder = sequence("decoders", decoders);
    return recipe;
}

// Everything that a tokenizer.json needs; the texts are views of the mapped file.
struct Source {
    std::shared_ptr<const MappedFile> owner;
    std::vector<std::string_view> tokens;
    std::vector<std::pair<std::string_view, std::string_view>> merges;
    std::vector<AddedToken> added;
    std::vector<std::int32_t> before, after;
    std::int32_t unknownId = -1;
    Recipe recipe;
};

OrderedJson templateFor(const Source& source) {
    if (source.before.empty() && source.after.empty()) {
        return nullptr;
    }
    OrderedJson known = OrderedJson::object();
    const auto around = [&](const char* text, int type) {
        OrderedJson pieces = OrderedJson::array();
        const auto add = [&](std::int32_t id) {
            const std::string name(source.tokens[static_cast<std::size_t>(id)]);
            pieces.push_back({{"SpecialToken", {{"id", name}, {"type_id", type}}}});
            known[name] = {{"id", name},
                           {"ids", OrderedJson::array({id})},
                           {"tokens", OrderedJson::array({name})}};
        };
        std::for_each(source.before.begin(), source.before.end(), add);
        pieces.push_back({{"Sequence", {{"id", text}, {"type_id", type}}}});
        std::for_each(source.after.begin(), source.after.end(), add);
        return pieces;
    };
    const OrderedJson single = around("A", 0);
    OrderedJson pair = single;
    for (const OrderedJson& piece : around("B", 1)) {
        pair.push_back(piece);
    }
    return {{"type", "TemplateProcessing"},
            {"single", single},
            {"pair", pair},
            {"special_tokens", known}};
}

std::string toJson(const Source& source) {
    OrderedJson added = OrderedJson::array();
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
    std::string vocabulary;
    for (std::size_t id = 0; id < source.tokens.size(); ++id) {
        vocabulary += fmt::format("{}{}:{}", id > 0 ? "," : "",
                                  OrderedJson(std::string(source.tokens[id])).dump(), id);
    }
    std::string merges;
    for (const auto& [left, right] : source.merges) {
        merges += merges.empty() ? "" : ",";
        merges += two(std::string(left), std::string(right)).dump();
    }
    const Recipe& recipe = source.recipe;
    const OrderedJson unknown =
        source.unknownId < 0
            ? OrderedJson(nullptr)
            : OrderedJson(std::string(source.tokens[static_cast<std::size_t>(source.unknownId)]));
    return fmt::format(
        R"({{"version":"1.0","truncation":null,"padding":null,"added_tokens":{},"normalizer":{},)"
        R"("pre_tokenizer":{},"post_processor":{},"decoder":{},"model":{{"type":"BPE",)"
        R"("dropout":null,"unk_token":{},"continuing_subword_prefix":null,)"
        R"("end_of_word_suffix":null,"fuse_unk":{},"byte_fallback":{},"ignore_merges":{},)"
        R"("vocab":{{{}}},"merges":[{}]}}}})",
        added.dump(), recipe.normalizer.dump(), recipe.preTokenizer.dump(),
        templateFor(source).dump(), recipe.decoder.dump(), unknown.dump(), recipe.sentencePiece,
        recipe.sentencePiece, recipe.ignoreMerges, vocabulary, merges);
}

void addListedMerges(const std::vector<std::string_view>& listed, Bpe& bpe, Source& source,
                     const std::string& where) {
    for (const std::string_view merge : listed) {
        // A part may begin with a space's stand-in, never with a space.
        const std::size_t space = merge.find(' ', 1);
        const bool known = space != std::string_view::npos &&
                           bpe.addMerge(merge.substr(0, space), merge.substr(space + 1),
                                        static_cast<std::int32_t>(source.merges.size()));
        if (!known) {
            throw Error(
                fmt::format("the merge \"{}\" is not a pair of tokens whose join is a token, too",
                            toValidUtf8(merge.substr(0, 100))),
                where, kFetchModel);
        }
        source.merges.emplace_back(merge.substr(0, space), merge.substr(space + 1));
    }
}

void addScoredMerges(const GgufFile& file, const std::vector<std::int64_t>& types, Bpe& bpe,
                     Source& source, const std::string& where) {
    const auto* scores = file.numbers("tokenizer.ggml.scores");
    if (scores == nullptr || scores->size() != source.tokens.size()) {
        throw Error("tokenizer.ggml.scores is missing or not as long as the tokens", where,
                    kFetchModel);
    }
    std::vector<bool> joinable(types.size());
    std::transform(types.begin(), types.end(), joinable.begin(), [](std::int64_t type) {
        return type != kUnknown && type != kControl && type != kByte;
    });

    for (const ScoredMerge& merge :
         sentencePieceMerges(bpe.vocabulary(), *scores, joinable, where)) {
        bpe.addMerge(merge.left, merge.right, merge.rank);
        source.merges.emplace_back(
            source.tokens[static_cast<std::size_t>(bpe.vocabulary().idOf(merge.left))],
            source.tokens[static_cast<std::size_t>(bpe.vocabulary().idOf(merge.right))]);
    }
}

std::vector<std::int64_t> readTypes(const GgufFile& file, std::size_t count,
                                    const std::string& where) {
    const auto* types = file.integers("tokenizer.ggml.token_type");
    if (types != nullptr && types->size() != count) {
        throw Error("tokenizer.ggml.token_type is not as long as the tokens", where, kFetchModel);
    }
    return types != nullptr ? *types : std::vector<std::int64_t>(count, kNormal);
}

Vocabulary vocabularyOfTokens(const std::vector<std::string_view>& tokens,
                              const std::string& where) {
    Vocabulary vocabulary(tokens.size());
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (!isValidUtf8(tokens[i])) {
            throw Error(fmt::format("token {} of tokenizer.ggml.tokens is not UTF-8", i), where,
                        kFetchModel);
        }
        addToVocabulary(vocabulary, tokens[i], static_cast<std::int32_t>(i), where);
    }
    return vocabulary;
}

}  // namespace

Tokenizer Tokenizer::fromGguf(const GgufFile& file) {
    const std::string where = file.path().string();
    const std::string model = file.string("tokenizer.ggml.model").value_or("");
    const auto* tokens = file.strings("tokenizer.ggml.tokens");
    const auto* merges = file.strings("tokenizer.ggml.merges");
    const bool sentencePiece = model == "llama";
    if ((model != "gpt2" && !sentencePiece) || tokens == nullptr ||
        (merges == nullptr && !sentencePiece)) {
        throw Error("the tokenizer \"" + model + "\" is not supported or incomplete", where,
                    "supported: gpt2 (byte-level BPE) with tokens and merges, llama "
                    "(SentencePiece BPE) with tokens and scores");
    }
    auto source = std::make_shared<Source>();
    source->owner = file.mapping();
    source->tokens = *tokens;
    source->recipe =
        sentencePiece
            ? sentencePieceRecipe(file.boolean("tokenizer.ggml.add_space_prefix").value_or(true))
            : byteLevelRecipe(preTokenizerOf(file, where), where);
    const Recipe& recipe = source->recipe;
    const auto idUnder = [&](const char* key) {
        const std::int64_t id = file.integer(key).value_or(-1);
        return id < static_cast<std::int64_t>(tokens->size()) && id >= 0
                   ? static_cast<std::int32_t>(id)
                   : -1;
    };
    const std::vector<std::int64_t> types = readTypes(file, tokens->size(), where);
    if (sentencePiece) {
        const auto unknown = std::find(types.begin(), types.end(), std::int64_t{kUnknown});
        source->unknownId = unknown != types.end()
                                ? static_cast<std::int32_t>(unknown - types.begin())
                                : idUnder("tokenizer.ggml.unknown_token_id");
    }
    Bpe::Options options;
    options.byteLevel = !sentencePiece;
    options.ignoreMerges = recipe.ignoreMerges;
    options.byteFallback = options.fuseUnknown = sentencePiece;
    options.unknownId = source->unknownId;
    Bpe bpe(vocabularyOfTokens(*tokens, where), options,
            sentencePiece ? tokens->size() : merges->size());
    if (sentencePiece) {
        addScoredMerges(file, types, bpe, *source, where);
    } else {
        addListedMerges(*merges, bpe, *source, where);
    }
    auto impl = std::make_unique<Impl>(std::move(bpe),
                                       TextNormalizer(nlohmann::json(recipe.normalizer), where),
                                       PreTokenizer(nlohmann::json(recipe.preTokenizer), where),
                                       TokenDecoder(nlohmann::json(recipe.decoder), where));
    for (std::size_t i = 0; i < types.size(); ++i) {
        const bool special = types[i] == kControl || types[i] == kUnknown;
        if (special || types[i] == kUserDefined) {
            AddedToken token;
            token.content = std::string((*tokens)[i]);
            token.id = static_cast<std::int32_t>(i);
            token.special = special;
            impl->addAdded(token, where);
            source->added.push_back(token);
        }
    }
    impl->finish();
    impl->bosId = idUnder("tokenizer.ggml.bos_token_id");
    impl->eosId = idUnder("tokenizer.ggml.eos_token_id");
    if (file.boolean("tokenizer.ggml.add_bos_token").value_or(recipe.addBos) && impl->bosId >= 0) {
        source->before.push_back(impl->bosId);
    }
    if (file.boolean("tokenizer.ggml.add_eos_token").value_or(false) && impl->eosId >= 0) {
        source->after.push_back(impl->eosId);
    }
    impl->prefix = source->before;
    impl->suffix = source->after;
    impl->makeJson = [source] { return toJson(*source); };
    return Tokenizer(std::move(impl));
}

}  // namespace cospadi
