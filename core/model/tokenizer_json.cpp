// Tokenizer from a Hugging Face tokenizer.json.
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/base/error.h"
#include "core/model/tokenizer_impl.h"

namespace cospadi {

namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

constexpr std::uintmax_t kMaxBytes = 500'000'000;
constexpr const char* kFetch = "fetch the model's tokenizer.json again";

std::string readFile(const fs::path& path) {
    std::ifstream stream(path, std::ios::binary);
    std::error_code ignored;
    if (!stream || fs::file_size(path, ignored) > kMaxBytes) {
        throw Error("cannot be opened, or is over 500 MB", path.string(), kFetch);
    }
    std::ostringstream content;
    content << stream.rdbuf();
    return std::move(content).str();
}

Json parse(const std::string& text, const std::string& where) {
    const auto shallow = [&](int depth, Json::parse_event_t, Json&) {
        if (depth > 32) {
            throw Error("is nested too deeply", where, kFetch);
        }
        return true;
    };
    try {
        Json json = Json::parse(text, shallow);
        if (json.is_object()) {
            return json;
        }
    } catch (const Json::exception&) {
    }
    throw Error("is not a JSON object", where, kFetch);
}

const Json& member(const Json& json, const char* key) {
    static const Json kNull;
    return json.is_object() && json.contains(key) ? json[key] : kNull;
}

bool flag(const Json& json, const char* key) {
    const Json& value = member(json, key);
    return value.is_boolean() && value.get<bool>();
}

std::string typeOf(const Json& json) {
    const Json& type = member(json, "type");
    return type.is_string() ? type.get<std::string>() : "";
}

bool isNfc(const Json& normalizer, const std::string& where) {
    if (normalizer.is_null()) {
        return false;
    }
    const std::string type = typeOf(normalizer);
    if (type == "NFC") {
        return true;
    }
    if (type == "Sequence" && member(normalizer, "normalizers").is_array()) {
        bool nfc = false;
        for (const Json& part : normalizer["normalizers"]) {
            nfc = isNfc(part, where) || nfc;
        }
        return nfc;
    }
    throw Error("the normalizer \"" + type + "\" is not supported", where,
                "supported: none, NFC (byte-level BPE tokenizers)");
}

std::int32_t idFrom(const Json& value, const std::string& where) {
    if (!value.is_number_integer() || value.get<double>() < 0 || value.get<double>() > 1e7) {
        throw Error("a token id is not a small non-negative integer", where, kFetch);
    }
    return value.get<std::int32_t>();
}

void readMerges(const Json& merges, Bpe& bpe, const std::string& where) {
    for (const Json& merge : merges) {
        bool known = false;
        if (merge.is_string()) {
            const auto& text = merge.get_ref<const std::string&>();
            const std::size_t space = text.find(' ');
            known = space != std::string::npos &&
                    bpe.addMerge(std::string_view(text).substr(0, space),
                                 std::string_view(text).substr(space + 1));
        } else if (merge.is_array() && merge.size() == 2 && merge[0].is_string() &&
                   merge[1].is_string()) {
            known = bpe.addMerge(merge[0].get_ref<const std::string&>(),
                                 merge[1].get_ref<const std::string&>());
        }
        if (!known) {
            throw Error("the merge " + merge.dump(-1, ' ', true, Json::error_handler_t::replace) +
                            " does not fit the vocabulary",
                        where, kFetch);
        }
    }
}

// The special tokens that a TemplateProcessing puts before and after a single text.
template <typename Impl>  // Tokenizer's Impl is private
void readTemplate(const Json& processor, Impl& impl, const std::string& where) {
    const std::string type = typeOf(processor);
    if (type == "Sequence") {
        for (const Json& part : member(processor, "processors")) {
            readTemplate(part, impl, where);
        }
    }
    if (type != "TemplateProcessing") {
        return;
    }
    std::vector<std::int32_t>* side = &impl.prefix;
    for (const Json& piece : member(processor, "single")) {
        if (piece.is_object() && piece.contains("Sequence")) {
            side = &impl.suffix;
            continue;
        }
        const Json& name = member(member(piece, "SpecialToken"), "id");
        if (name.is_string()) {
            const Json& token =
                member(member(processor, "special_tokens"), name.get<std::string>().c_str());
            for (const Json& id : member(token, "ids")) {
                side->push_back(idFrom(id, where));
            }
        }
    }
}

// bos_token and eos_token of a tokenizer_config.json beside the tokenizer, where there is one.
template <typename Impl>
void readNamedTokens(const fs::path& path, Impl& impl) {
    if (!fs::exists(path)) {
        return;
    }
    const Json json = parse(readFile(path), path.string());
    const auto idOf = [&](const char* key) {
        const Json& value = member(json, key);
        const Json& content = value.is_object() ? member(value, "content") : value;
        if (content.is_string()) {
            for (const AddedToken& token : impl.added.tokens()) {
                if (token.content == content.get_ref<const std::string&>()) {
                    return token.id;
                }
            }
        }
        return -1;
    };
    impl.bosId = idOf("bos_token");
    impl.eosId = idOf("eos_token");
}

}  // namespace

Tokenizer Tokenizer::fromJson(const fs::path& tokenizerJson) {
    const std::string where = tokenizerJson.string();
    auto source = std::make_shared<const std::string>(readFile(tokenizerJson));
    const Json json = parse(*source, where);
    const Json& model = member(json, "model");
    const std::string type = typeOf(model);
    if ((type != "BPE" && !type.empty()) || flag(model, "byte_fallback") ||
        !member(model, "vocab").is_object() || !member(model, "merges").is_array()) {
        throw Error("the tokenizer model \"" + type + "\" is not supported", where,
                    "supported: byte-level BPE (no byte fallback)");
    }
    auto impl = std::make_unique<Impl>();
    for (const auto& [text, id] : model["vocab"].items()) {
        impl->setToken(idFrom(id, where), text, where);
        impl->bpe.addToken(text, id.get<std::int32_t>());
    }
    impl->bpe.setIgnoreMerges(flag(model, "ignore_merges"));
    impl->bpe.finishVocabulary();
    readMerges(model["merges"], impl->bpe, where);
    for (const Json& entry : member(json, "added_tokens")) {
        if (!member(entry, "content").is_string()) {
            throw Error("an added token has no content", where, kFetch);
        }
        impl->addAdded({entry["content"].get<std::string>(), idFrom(member(entry, "id"), where),
                        flag(entry, "special"), flag(entry, "normalized"), flag(entry, "lstrip"),
                        flag(entry, "rstrip"), flag(entry, "single_word")},
                       where);
    }
    impl->nfc = isNfc(member(json, "normalizer"), where);
    impl->preTokenizer.emplace(member(json, "pre_tokenizer"), where);
    readTemplate(member(json, "post_processor"), *impl, where);
    readNamedTokens(tokenizerJson.parent_path() / "tokenizer_config.json", *impl);
    impl->makeJson = [source] { return *source; };
    return Tokenizer(std::move(impl));
}

}  // namespace cospadi
