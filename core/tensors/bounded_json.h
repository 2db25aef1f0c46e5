// JSON from files and requests that may be anything. What is nested deeper than a limit is refused
// before it is read: a tree of a million levels would overflow the stack of whoever walks it. (Not
// by the callback of nlohmann's parser, which walks a list once for every object in it.)
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
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

// Whether brackets outside of strings are open more than maxDepth at once; of text that is no JSON,
// at least whether they are before its first fault.
bool isNestedDeeper(std::string_view text, int maxDepth);

// Every key in the order of the text, also those that stand twice, up to the first fault. depth: 1
// in the outermost object.
void forEachKey(std::string_view text,
                const std::function<void(int depth, const std::string& key)>& onKey);

}  // namespace cospadi
