#include "core/pipeline/json_file.h"

#include <fmt/format.h>

#include <fstream>

#include "core/base/error.h"

namespace cospadi {

nlohmann::json readJsonFile(const std::filesystem::path& path, const std::string& hint) {
    std::ifstream file(path);
    try {
        return nlohmann::json::parse(file);
    } catch (const nlohmann::json::exception& error) {
        throw Error(fmt::format("cannot be read: {}", error.what()), path.string(), hint);
    }
}

}  // namespace cospadi
