// Reads an object of a specification: known fields one by one, and complains about whatever is
// left.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/error.h"

namespace cospadi {

// The value as this type; Error naming `field` where it is of another. nlohmann turns any number
// into any other, -1 and 1.5 into seeds: whole numbers have to be such, and in range.
template <typename T>
T valueOfType(const nlohmann::json& value, const std::string& field) {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
        const bool fits =
            value.is_number_integer() &&
            (value.is_number_unsigned() ? std::in_range<T>(value.get<std::uint64_t>())
                                        : std::in_range<T>(value.get<std::int64_t>()));
        if (!fits) {
            throw Error(fmt::format("is not a whole number in range: {}", value.dump()), field,
                        "see docs/formats.md");
        }
    }
    try {
        return value.get<T>();
    } catch (const nlohmann::json::exception&) {
        throw Error(fmt::format("has the wrong type: {}", value.dump()), field,
                    "see docs/formats.md");
    }
}

class FieldReader {
  public:
    // prefix: of the names in errors. json outlives the reader.
    FieldReader(const nlohmann::json& json, std::string prefix)
        : m_json(json), m_prefix(std::move(prefix)) {
        if (!json.is_object()) {
            throw Error("is not a JSON object", m_prefix.empty() ? "specification" : m_prefix,
                        "see docs/formats.md");
        }
    }

    // An absent field leaves the value as it is.
    template <typename T>
    void read(const char* field, T& value) {
        if (const nlohmann::json* found = child(field)) {
            value = valueOfType<T>(*found, m_prefix + field);
        }
    }

    // null where it is absent, or null. The name outlives the reader.
    const nlohmann::json* child(const char* field) {
        m_known.emplace_back(field);
        const auto found = m_json.find(field);
        return found == m_json.end() || found->is_null() ? nullptr : &*found;
    }

    // ofWhat: what has no such field.
    void refuseUnknown(const char* ofWhat = "a run specification") const {
        for (const auto& [key, value] : m_json.items()) {
            if (std::find(m_known.begin(), m_known.end(), key) == m_known.end()) {
                throw Error(fmt::format("is not a field of {}", ofWhat), m_prefix + key,
                            "see docs/formats.md for the fields");
            }
        }
    }

  private:
    const nlohmann::json& m_json;
    std::string m_prefix;
    std::vector<std::string_view> m_known;
};

}  // namespace cospadi
