// What stands below a folder of runs, to be compared between two starts of one command: everything
// but seconds, times and ids, and whether all of it is whole.
#pragma once

#include <QString>
#include <cstdint>
#include <cstring>
#include <exception>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/core/oracle_data.h"

namespace timeless_contents {

namespace fs = std::filesystem;
using nlohmann::json;

// Without what tells one start from another: seconds, times, ids; and bytes, for matrix files hold
// their seconds as text.
inline json timeless(json object) {
    for (const char* field :
         {"seconds", "created", "id", "calibration_seconds", "core_seconds", "allocation_seconds",
          "coding_seconds", "dictionary_seconds", "noted", "bytes"}) {
        if (object.is_object()) {
            object.erase(field);
        }
    }
    for (json& child : object) {
        if (child.is_structured()) {
            child = timeless(child);
        }
    }
    return object;
}

inline std::string contentOf(const fs::path& path) {
    const std::string bytes = oracle::text(path);
    if (path.extension() == ".json") {
        return timeless(json::parse(bytes)).dump();
    }
    if (path.extension() != ".safetensors") {
        return bytes;
    }
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data(), 8);
    json header = json::parse(bytes.substr(8, length));
    if (header.contains("__metadata__") && header["__metadata__"].contains("result")) {
        const auto result = header["__metadata__"]["result"].get<std::string>();
        header["__metadata__"]["result"] = timeless(json::parse(result)).dump();
    }
    return header.dump() + bytes.substr(8 + length);
}

// Every file below a folder, or the one file; not those that tell of the run's course.
inline std::map<std::string, std::string> contentsOf(const fs::path& place) {
    std::map<std::string, std::string> contents;
    if (fs::is_regular_file(place)) {
        return {{"", contentOf(place)}};
    }
    for (const auto& entry : fs::recursive_directory_iterator(place)) {
        const std::string name = entry.path().lexically_relative(place).string();
        if (entry.is_regular_file() && name != "events.jsonl" && name != "run.lock") {
            contents[name] = contentOf(entry.path());
        }
    }
    return contents;
}

inline QString firstDifference(const fs::path& expected, const fs::path& found) {
    const auto a = contentsOf(expected);
    const auto b = contentsOf(found);
    for (const auto& [name, content] : a) {
        if (!b.contains(name) || b.at(name) != content) {
            return QString::fromStdString(name) + (b.contains(name) ? " differs" : " is missing");
        }
    }
    for (const auto& [name, content] : b) {
        if (!a.contains(name)) {
            return QString::fromStdString(name) + " is there too much";
        }
    }
    return {};
}

// Every file that stands under a final name can be read to its end.
inline QString firstBroken(const fs::path& place) {
    if (!fs::exists(place)) {
        return {};
    }
    for (const auto& entry : fs::recursive_directory_iterator(place)) {
        const std::string name = entry.path().filename().string();
        if (!entry.is_regular_file() || entry.path().string().find(".tmp.") != std::string::npos) {
            continue;
        }
        try {
            if (entry.path().extension() == ".json" || entry.path().extension() == ".safetensors") {
                static_cast<void>(contentOf(entry.path()));
            }
        } catch (const std::exception& error) {
            return QString::fromStdString(entry.path().string() + ": " + error.what());
        }
    }
    return {};
}

}  // namespace timeless_contents
