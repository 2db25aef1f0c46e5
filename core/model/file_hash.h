// SHA-256 of large files, remembered under <cache directory>/sha256 by path, size, times, device
// and inode, so that a model is hashed once and not at every start.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace cospadi {

std::string cachedSha256(const std::filesystem::path& file);

// One hash for several files: of the lines "name hash".
std::string cachedSha256(const std::filesystem::path& folder,
                         const std::vector<std::filesystem::path>& files);

}  // namespace cospadi
