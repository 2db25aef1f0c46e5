#include "core/base/temporary_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "core/base/error.h"

namespace cospadi {

namespace fs = std::filesystem;

TemporaryFolder TemporaryFolder::unique(const std::string& prefix) {
    std::string pattern = (fs::temp_directory_path() / (prefix + "-XXXXXX")).string();
    if (mkdtemp(pattern.data()) == nullptr) {
        throw Error(std::string("cannot be created: ") + std::strerror(errno), pattern,
                    "set TMPDIR to a folder that can be written");
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
