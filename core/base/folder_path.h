// Paths of folders as they are typed.
#pragma once

#include <filesystem>
#include <string>

namespace cospadi {

// `runs/x/` as `runs/x`: of the first, filename() is empty and parent_path() the folder itself.
inline std::filesystem::path withoutTrailingSlash(const std::filesystem::path& folder) {
    return folder.has_filename() ? folder : folder.parent_path();
}

// What a file or folder is called, also where its path is `.` or ends in a slash.
inline std::string nameOfPath(const std::filesystem::path& path) {
    return withoutTrailingSlash(std::filesystem::absolute(path).lexically_normal())
        .filename()
        .string();
}

}  // namespace cospadi
