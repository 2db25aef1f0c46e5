// The JSON files of a run directory.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

namespace cospadi {

// Throws Error naming the file, with this hint, where it is missing or no JSON.
nlohmann::json readJsonFile(const std::filesystem::path& path, const std::string& hint);

}  // namespace cospadi
