#include "core/tensors/bounded_json.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/base/error.h"

namespace cospadi {

namespace {

using Json = nlohmann::json;

// Tells keys and their depth; everything else passes.
struct KeyReader : nlohmann::json_sax<Json> {
    explicit KeyReader(const std::function<void(int, const std::string&)>& tell) : onKey(tell) {}

    bool key(std::string& text) override {
        onKey(depth, text);
        return true;
    }
    bool start_object(std::size_t) override { return ++depth > 0; }
    bool end_object() override { return --depth >= 0; }
    bool start_array(std::size_t) override { return ++depth > 0; }
    bool end_array() override { return --depth >= 0; }
    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(Json::number_integer_t) override { return true; }
    bool number_unsigned(Json::number_unsigned_t) override { return true; }
    bool number_float(Json::number_float_t, const std::string&) override { return true; }
    bool string(std::string&) override { return true; }
    bool binary(Json::binary_t&) override { return true; }
    bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
        return false;
    }

    const std::function<void(int, const std::string&)>& onKey;
    int depth = 0;
};

std::string contentOf(std::istream& stream) {
    std::ostringstream content;
    content << stream.rdbuf();
    return std::move(content).str();
}

}  // namespace

Json readBoundedJson(const std::filesystem::path& path, std::uintmax_t maxBytes, int maxDepth) {
    constexpr const char* kHint = "fetch the model again";
    std::error_code unreadable;
    if (!std::filesystem::is_regular_file(path, unreadable)) {
        throw Error("is missing, unreadable or not a regular file", path.string(), kHint);
    }
    if (std::filesystem::file_size(path, unreadable) > maxBytes) {  // the largest number if unknown
        throw Error("is over " + std::to_string(maxBytes / 1'000'000) + " MB", path.string(),
                    kHint);
    }
    std::ifstream stream(path, std::ios::binary);
    if (!stream) {
        throw Error("cannot be opened", path.string(), "check its permissions");
    }
    const std::string text = contentOf(stream);
    if (isNestedDeeper(text, maxDepth)) {
        throw Error("is nested too deeply", path.string(), kHint);
    }
    try {
        Json json = Json::parse(text);
        if (json.is_object()) {
            return json;
        }
    } catch (const Json::exception&) {
    }
    throw Error("is not a JSON object", path.string(), kHint);
}

Json parseBoundedJson(std::string_view text, int maxDepth, const std::string& where,
                      const std::string& hint) {
    if (isNestedDeeper(text, maxDepth)) {
        throw Error("is nested too deeply", where, hint);
    }
    try {
        return Json::parse(text);
    } catch (const Json::exception& error) {
        throw Error(std::string("not valid JSON: ") + error.what(), where, hint);
    }
}

bool isNestedDeeper(std::string_view text, int maxDepth) {
    int depth = 0;
    bool isString = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        switch (text[i]) {
            case '"':
                isString = !isString;
                break;
            case '\\':
                i += isString ? 1 : 0;
                break;
            case '[':
            case '{':
                if (!isString && ++depth > maxDepth) {
                    return true;
                }
                break;
            case ']':
            case '}':
                depth -= isString ? 0 : 1;
                break;
            default:
                break;
        }
    }
    return false;
}

void forEachKey(std::string_view text,
                const std::function<void(int depth, const std::string& key)>& onKey) {
    KeyReader reader(onKey);
    Json::sax_parse(text, &reader);
}

}  // namespace cospadi
