#include "core/sweep/yaml.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "core/base/error.h"

namespace cospadi {

namespace {

using nlohmann::json;

constexpr const char* kHint = "correct the file; see docs/formats.md, \"A sweep\"";
constexpr int kMostNodes = 100'000;
constexpr int kDeepest = 32;

template <typename Number>
bool readsAs(const std::string& text, Number& number) {
    const char* end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, number);
    return error == std::errc() && stopped == end && !text.empty();
}

json scalar(const YAML::Node& node) {
    const std::string& text = node.Scalar();
    if (node.Tag() == "!") {  // quoted
        return text;
    }
    if (text.empty() || text == "~" || text == "null") {
        return nullptr;
    }
    if (text == "true" || text == "false") {
        return text == "true";
    }
    std::int64_t whole = 0;
    double number = 0;
    if (readsAs(text, whole)) {
        return whole;
    }
    // from_chars also takes inf and nan, which no field of ours may be.
    return readsAs(text, number) && text.find_first_of("nN") == std::string::npos ? json(number)
                                                                                  : json(text);
}

class Converter {
  public:
    explicit Converter(std::string where) : m_where(std::move(where)) {}

    json convert(const YAML::Node& node, int depth = 0) {
        if (++m_nodes > kMostNodes || depth > kDeepest) {
            fail(node, "expands to too many values");
        }
        if (node.IsMap()) {
            json object = json::object();
            for (const auto& entry : node) {
                if (!entry.first.IsScalar()) {
                    fail(entry.first, "a key is not a word");
                }
                if (!object.emplace(entry.first.Scalar(), convert(entry.second, depth + 1))
                         .second) {
                    fail(entry.first, "the key " + entry.first.Scalar() + " occurs twice");
                }
            }
            return object;
        }
        if (node.IsSequence()) {
            json array = json::array();
            for (const YAML::Node& entry : node) {
                array.push_back(convert(entry, depth + 1));
            }
            return array;
        }
        return node.IsScalar() ? scalar(node) : json(nullptr);
    }

  private:
    [[noreturn]] void fail(const YAML::Node& node, const std::string& what) const {
        throw Error(what, fmt::format("{}, line {}", m_where, node.Mark().line + 1), kHint);
    }

    std::string m_where;
    int m_nodes = 0;
};

}  // namespace

json readYamlFile(const std::filesystem::path& path) {
    try {
        return Converter(path.string()).convert(YAML::LoadFile(path.string()));
    } catch (const YAML::BadFile&) {
        throw Error("cannot be opened", path.string(), "check that it exists");
    } catch (const YAML::Exception& error) {
        throw Error(error.msg, fmt::format("{}, line {}", path.string(), error.mark.line + 1),
                    kHint);
    }
}

}  // namespace cospadi
