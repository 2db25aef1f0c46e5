// YAML files as JSON values: what a sweep may be written in.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

namespace cospadi {

// Plain scalars become null, booleans and numbers where they read as such, quoted ones stay text.
// Throws Error naming file and line for a syntax error, a key that is no text or stands twice, and
// for what would unfold to more than 100 000 values (anchors repeated over and over).
nlohmann::json readYamlFile(const std::filesystem::path& path);

}  // namespace cospadi
