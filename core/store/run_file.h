// The text files of a run directory. They may come from anywhere (an archive, a shared folder), so
// all of them are read here: regular files of a bounded size, JSON of a bounded depth.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace cospadi {

// The whole file, as text. Throws Error naming the file where it cannot be read, is no regular file
// (a pipe would block) or has over 1 GiB.
std::string readTextFile(const std::filesystem::path& path);

// Parses JSON, nested at most 64 deep, as other tools write it: bare NaN and ±Infinity (Python's
// default) become null. Throws Error naming `where`.
nlohmann::json parseTolerantJson(const std::string& text, const std::filesystem::path& where,
                                 const std::string& hint = "the file is damaged or incomplete");

// A JSON object from a file. Throws Error naming the file, with this hint.
nlohmann::json readRunJson(const std::filesystem::path& path,
                           const std::string& hint = "the file is damaged or incomplete");

// One line of events.jsonl; null where it is no JSON object, or a deep one.
nlohmann::json eventOfLine(std::string_view line);

}  // namespace cospadi
