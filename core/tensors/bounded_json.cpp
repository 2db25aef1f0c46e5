#include "core/tensors/bounded_json.h"

#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/error.h"

namespace cospadi {

namespace {

using Json = nlohmann::json;

auto shallow(int maxDepth, const std::string& where, const std::string& hint) {
    return [maxDepth, where, hint](int depth, Json::parse_event_t, Json&) {
        if (depth > maxDepth) {
            throw Error("is nested too deeply", where, hint);
        }
        return true;
    };
}

}  // namespace

Json readBoundedJson(const std::filesystem::path& path, std::uintmax_t maxBytes, int maxDepth) {
    constexpr const char* kHint = "fetch the model again";
    std::error_code unreadable;
    if (!std::filesystem::is_regular_file(path, unreadable)) {
        throw Error("is missing, unreadable or no regular file", path.string(), kHint);
    }
    if (std::filesystem::file_size(path, unreadable) > maxBytes) {  // the largest number if unknown
        throw Error("is over " + std::to_string(maxBytes / 1'000'000) + " MB", path.string(),
                    kHint);
    }
    std::ifstream stream(path, std::ios::binary);
    if (!stream) {
        throw Error("cannot be opened", path.string(), "check its permissions");
    }
    try {
        Json json = Json::parse(stream, shallow(maxDepth, path.string(), kHint));
        if (json.is_object()) {
            return json;
        }
    } catch (const Json::exception&) {
    }
    throw Error("is not a JSON object", path.string(), kHint);
}

Json parseBoundedJson(std::string_view text, int maxDepth, const std::string& where,
                      const std::string& hint) {
    try {
        return Json::parse(text, shallow(maxDepth, where, hint));
    } catch (const Json::exception& error) {
        throw Error(std::string("not valid JSON: ") + error.what(), where, hint);
    }
}

}  // namespace cospadi
