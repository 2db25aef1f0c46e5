#include "core/base/temporary_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "core/base/error.h"
#include "core/base/folder_path.h"
#include "core/base/temporary_name.h"

namespace cospadi {

namespace fs = std::filesystem;

TemporaryFolder TemporaryFolder::unique(const std::string& prefix, const fs::path& parent) {
    const fs::path place = parent.empty() ? fs::temp_directory_path() : parent;
    std::string pattern = (place / (prefix + "-XXXXXX")).string();
    if (mkdtemp(pattern.data()) == nullptr) {
        throw Error(std::string("cannot be created: ") + std::strerror(errno), pattern,
                    parent.empty() ? "set TMPDIR to a writable folder"
                                   : "free some space, and make sure that the folder is writable");
    }
    return TemporaryFolder(pattern);
}

TemporaryFolder TemporaryFolder::beside(const fs::path& target) {
    for (;;) {
        const fs::path path = temporaryNameOf(withoutTrailingSlash(target));
        const int lock = ::mkdir(path.c_str(), 0777) == 0
                             ? ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
                             : -1;
        if (lock >= 0 && holdTemporary(lock, path)) {
            return {path, lock};
        }
        const int reason = errno;
        if (lock >= 0) {
            ::close(lock);
        } else if (reason != ENOENT || !fs::exists(path.parent_path())) {  // else swept up
            throw Error(std::string("cannot be created: ") + std::strerror(reason), path.string(),
                        reason == ENOSPC || reason == EDQUOT
                            ? "free some disk space and try again"
                            : "check the folder and its permissions");
        }
    }
}

TemporaryFolder::TemporaryFolder(fs::path path) : m_path(std::move(path)) {
    fs::create_directories(m_path);
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(m_path, ignored);
    if (m_lock >= 0) {
        ::close(m_lock);
    }
}

}  // namespace cospadi
