// A JSON object from a file that may be anything: a regular file (no pipe that blocks), of at most
// maxBytes, nested at most maxDepth deep. Anything else is a cospadi::Error naming the file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>

namespace cospadi {

nlohmann::json readBoundedJson(const std::filesystem::path& path, std::uintmax_t maxBytes,
                               int maxDepth);

}  // namespace cospadi
