// Room on a disk: minutes of writing should not end in a full one.
#pragma once

#include <filesystem>
#include <string>

namespace cospadi {

// Throws Error naming `what` where the disk of `folder` has fewer bytes free. Where it does not
// say, nothing is known to be wrong.
void requireDiskSpace(const std::filesystem::path& folder, double bytes,
                      const std::filesystem::path& what, const std::string& hint);

}  // namespace cospadi
