// Tokenizer from a Hugging Face tokenizer.json.
#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "core/base/error.h"
#include "core/tensors/bounded_json.h"
#include "core/tokenizer/post_processor.h"
#include "core/tokenizer/tokenizer_fields.h"
#include "core/tokenizer/tokenizer_impl.h"

namespace cospadi {

namespace {

using fields::Json;
using fields::member;
namespace fs = std::filesystem;

constexpr std::uintmax_t kMaxBytes = 100'000'000;  // the largest published ones have 35 MB
constexpr int kMaxDepth = 32;

std::string readFile(const fs::path& path) {
    std::ifstream stream(path, std::ios::binary);
    std::error_code failure;
    const std::uintmax_t size = fs::file_size(path, failure);
    if (!stream || failure || size > kMaxBytes) {
        throw Error("cannot be opened, or is over 100 MB", path.string(), kCorrectTokenizer);
    }
    std::ostringstream content;
    content << stream.rdbuf();
    return std::move(content).str();
}

// The keys of model.vocab in the text: JSON keeps one of two equal ones without a word.
std::size_t countVocabularyKeys(const std::string& text) {
    std::size_t count = 0;
    bool isModel = false;
    bool isVocabulary = false;
    forEachKey(text, [&](int depth, const std::string& key) {
        if (depth == 1) {
            isModel = key == "model";
            isVocabulary = false;
        } else if (depth == 2) {
            isVocabulary = isModel && key == "vocab";
        } else if (depth == 3 && isVocabulary) {
            ++count;
        }
    });
    return count;
}

Json parse(const std::string& text, const std::string& where) {
    if (isNestedDeeper(text, kMaxDepth)) {
        throw Error("is nested too deeply", where, kCorrectTokenizer);
    }
    try {
        Json json = Json::parse(text);
        if (json.is_object()) {
            return json;
        }
    } catch (const Json::exception& error) {
        throw Error(fmt::format("is not JSON: {}", std::string(error.what()).substr(0, 200)), where,
                    kCorrectTokenizer);
    }
    throw Error("is not a JSON object", where, kCorrectTokenizer);
}

Vocabulary vocabularyOfEntries(const Json& model, std::size_t keys, const std::string& where) {
    const Json& entries = member(model, "vocab");
    if (entries.size() != keys) {
        throw Error("an entry of the vocabulary occurs twice", where, kCorrectTokenizer);
    }
    Vocabulary vocabulary(entries.size());
    for (const auto& [text, id] : entries.items()) {
        addToVocabulary(vocabulary, text, fields::smallInteger(id, "model.vocab", where), where);
    }
    return vocabulary;
}

// "a b" in older files, ["a", "b"] in newer ones.
bool addMerge(const Json& merge, std::int32_t rank, Bpe& bpe) {
    if (merge.is_string()) {
        const std::string_view text = merge.get_ref<const std::string&>();
        const std::size_t space = text.find(' ');
        return space != std::string_view::npos &&
               text.find(' ', space + 1) == std::string_view::npos &&
               bpe.addMerge(text.substr(0, space), text.substr(space + 1), rank);
    }
    return merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string() &&
           bpe.addMerge(merge[0].get_ref<const std::string&>(),
                        merge[1].get_ref<const std::string&>(), rank);
}

void readMerges(const Json& merges, Bpe& bpe, const std::string& where) {
    std::int32_t rank = 0;
    for (const Json& merge : merges) {
        if (merge.is_string() && merge.get_ref<const std::string&>().starts_with("#version")) {
            continue;
        }
        if (!addMerge(merge, rank, bpe)) {
            throw Error(
                fmt::format(
                    "the merge {} is not a pair of tokens whose join is a token, too",
                    merge.dump(-1, ' ', true, Json::error_handler_t::replace).substr(0, 200)),
                where, kCorrectTokenizer);
        }
        ++rank;
    }
}

void requireSupportedModel(const Json& model, const std::string& where) {
    const std::string type = fields::typeOf(model);
    if ((type != "BPE" && !type.empty()) || !member(model, "vocab").is_object() ||
        !member(model, "merges").is_array()) {
        throw Error("the tokenizer model \"" + type + "\" is not supported", where,
                    "supported: BPE with vocab and merges (byte-level or with byte fallback)");
    }
    for (const char* key : {"continuing_subword_prefix", "end_of_word_suffix"}) {
        if (!fields::text(model, key, where).empty()) {
            throw Error(fmt::format("the BPE setting \"{}\" is not supported", key), where,
                        "supported: byte-level BPE, and BPE with byte fallback");
        }
    }
    const Json& dropout = member(model, "dropout");
    if (!dropout.is_null() && !(dropout.is_number() && dropout.get<double>() == 0)) {
        throw Error("the BPE setting \"dropout\" makes tokens random", where, "set it to null");
    }
}

Bpe readModel(const Json& model, std::size_t vocabularyKeys, bool byteLevel,
              const std::string& where) {
    requireSupportedModel(model, where);
    Vocabulary vocabulary = vocabularyOfEntries(model, vocabularyKeys, where);
    Bpe::Options options;
    options.byteLevel = byteLevel;
    options.ignoreMerges = fields::flag(model, "ignore_merges", false, where);
    options.byteFallback = fields::flag(model, "byte_fallback", false, where) && !byteLevel;
    options.fuseUnknown = fields::flag(model, "fuse_unk", false, where);
    const std::string unknown = fields::text(model, "unk_token", where);
    options.unknownId = unknown.empty() ? -1 : vocabulary.idOf(unknown);
    if (!unknown.empty() && options.unknownId < 0 && !byteLevel) {
        throw Error(fmt::format("the unk_token \"{}\" is not in the vocabulary", unknown), where,
                    kCorrectTokenizer);
    }
    const Json& merges = member(model, "merges");
    Bpe bpe(std::move(vocabulary), options, merges.size());
    readMerges(merges, bpe, where);
    return bpe;
}

// An added token that the vocabulary has, too, takes its id from there.
AddedToken readAddedToken(const Json& entry, const Vocabulary& vocabulary,
                          const std::string& where) {
    AddedToken token;
    token.content = fields::text(entry, "content", where);
    const std::int32_t known = vocabulary.idOf(token.content);
    token.id =
        known >= 0 ? known : fields::smallInteger(member(entry, "id"), "added_tokens.id", where);
    token.special = fields::flag(entry, "special", false, where);
    token.normalized = fields::flag(entry, "normalized", !token.special, where);
    token.leftStrip = fields::flag(entry, "lstrip", false, where);
    token.rightStrip = fields::flag(entry, "rstrip", false, where);
    token.singleWord = fields::flag(entry, "single_word", false, where);
    return token;
}

// The ids of bos_token and eos_token of a tokenizer_config.json beside the tokenizer.
template <typename Impl>  // Tokenizer's Impl is private
void readNamedTokens(const fs::path& path, Impl& impl) {
    std::error_code ignored;
    if (!fs::exists(path, ignored)) {
        return;
    }
    const Json json = parse(readFile(path), path.string());
    const auto idOf = [&](const char* key) {
        const Json& value = member(json, key);
        const Json& content = value.is_object() ? member(value, "content") : value;
        return content.is_string() ? impl.idOf(content.get_ref<const std::string&>()) : -1;
    };
    impl.eosId = idOf("eos_token");
}

}  // namespace

Tokenizer Tokenizer::fromJson(const fs::path& tokenizerJson) {
    const std::string where = tokenizerJson.string();
    auto source = std::make_shared<const std::string>(readFile(tokenizerJson));
    const Json json = parse(*source, where);
    TextNormalizer normalizer(member(json, "normalizer"), where);
    PreTokenizer preTokenizer(member(json, "pre_tokenizer"), where);
    TokenDecoder decoder(member(json, "decoder"), where);
    Bpe bpe = readModel(fields::required(json, "model", where), countVocabularyKeys(*source),
                        preTokenizer.isByteLevel(), where);
    auto impl = std::make_unique<Impl>(std::move(bpe), std::move(normalizer),
                                       std::move(preTokenizer), std::move(decoder));
    for (const Json& entry : fields::list(json, "added_tokens", where)) {
        impl->addAdded(readAddedToken(entry, impl->bpe.vocabulary(), where), where);
    }
    impl->finish();
    TokensAround around = readPostProcessor(member(json, "post_processor"), where);
    for (const auto* side : {&around.before, &around.after}) {
        for (const std::int32_t id : *side) {
            if (!impl->exists(id)) {
                throw Error(fmt::format("the post-processor adds the unknown token {}", id), where,
                            kCorrectTokenizer);
            }
        }
    }
    impl->prefix = std::move(around.before);
    impl->suffix = std::move(around.after);
    readNamedTokens(tokenizerJson.parent_path() / "tokenizer_config.json", *impl);
    impl->makeJson = [source] { return *source; };
    return Tokenizer(std::move(impl));
}

}  // namespace cospadi
