// Paths of folders as they are typed.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>

#include "core/base/error.h"

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

// With those above it; one that is there is taken. Throws Error with `what` and the cause.
inline void createFolder(const std::filesystem::path& folder, const std::string& hint,
                         const std::string& what = "cannot be created") {
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    if (failed) {
        throw Error(what + ": " + failed.message(), folder.string(), hint);
    }
}

}  // namespace cospadi
