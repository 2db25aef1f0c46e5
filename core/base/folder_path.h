// Paths of folders as they are typed.
#pragma once

#include <filesystem>

namespace cospadi {

// `runs/x/` as `runs/x`: of the first, filename() is empty and parent_path() the folder itself.
inline std::filesystem::path withoutTrailingSlash(const std::filesystem::path& folder) {
    return folder.has_filename() ? folder : folder.parent_path();
}

}  // namespace cospadi
