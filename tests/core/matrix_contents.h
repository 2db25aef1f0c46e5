// What the matrix files of a run hold, to be compared bit by bit.
#pragma once

#include <cstring>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/core/oracle_data.h"

namespace matrix_contents {

// Without the seconds in its metadata: bits, not values.
inline std::string of(const std::filesystem::path& path) {
    std::string bytes = oracle::text(path);
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data(), 8);
    nlohmann::json header = nlohmann::json::parse(bytes.substr(8, length));
    header.erase("__metadata__");
    return header.dump() + bytes.substr(8 + length);
}

// Of all of a run's, by their names.
inline std::map<std::string, std::string> ofRun(const std::filesystem::path& run) {
    std::map<std::string, std::string> content;
    for (const auto& entry : std::filesystem::directory_iterator(run / "matrices")) {
        content[entry.path().filename().string()] = of(entry.path());
    }
    return content;
}

}  // namespace matrix_contents
