// Files compressed by gzip, as texts ship and as others hand them on.
#pragma once

#include <filesystem>
#include <string>

namespace cospadi {

// The content, unpacked. Throws Error naming the file where it cannot be opened, is no gzip file,
// is damaged or ends early, or holds more than 2 GiB.
std::string readGzipFile(const std::filesystem::path& path);

}  // namespace cospadi
