#include "core/base/temporary_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "core/base/error.h"

namespace cospadi {

namespace fs = std::filesystem;

TemporaryFolder TemporaryFolder::unique(const std::string& prefix, const fs::path& parent) {
    const fs::path place = parent.empty() ? fs::temp_directory_path() : parent;
    std::string pattern = (place / (prefix + "-XXXXXX")).string();
    if (mkdtemp(pattern.data()) == nullptr) {
        throw Error(std::string("cannot be created: ") + std::strerror(errno), pattern,
                    parent.empty() ? "set TMPDIR to a folder that can be written"
                                   : "free some space, and see that the folder can be written");
    }
    return TemporaryFolder(pattern);
}

TemporaryFolder::TemporaryFolder(fs::path path) : m_path(std::move(path)) {
    fs::create_directories(m_path);
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(m_path, ignored);
}

}  // namespace cospadi
