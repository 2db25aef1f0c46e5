// Fields of the JSON files of a run directory.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/error.h"

namespace cospadi {

// A field of an object that was read from `path`. Throws Error naming both, with this hint, where
// it is absent or of another type.
template <class Value = nlohmann::json>
Value fieldOf(const nlohmann::json& object, const char* field, const std::filesystem::path& path,
              const std::string& hint) {
    try {
        return object.at(field).template get<Value>();
    } catch (const nlohmann::json::exception&) {
        throw Error(std::string("has no readable field \"") + field + "\"", path.string(), hint);
    }
}

}  // namespace cospadi
