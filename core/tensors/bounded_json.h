// JSON from files that may be anything. What is nested deeper than a limit is refused while it is
// read: a tree of a million levels would overflow the stack of whoever walks it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace cospadi {

// A JSON object from a regular file (no pipe that blocks), of at most maxBytes, nested at most
// maxDepth deep. Anything else is a cospadi::Error naming the file.
nlohmann::json readBoundedJson(const std::filesystem::path& path, std::uintmax_t maxBytes,
                               int maxDepth);

// Any JSON value from text. Throws Error naming `where`, with this hint.
nlohmann::json parseBoundedJson(std::string_view text, int maxDepth, const std::string& where,
                                const std::string& hint);

}  // namespace cospadi
