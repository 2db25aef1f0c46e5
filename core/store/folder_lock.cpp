#include "core/store/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace cospadi {

namespace {

// A file in it and not the folder itself, which network file systems do not lock.
int openLockIn(const std::filesystem::path& folder) {
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    return ::open((folder / ".lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC | O_NONBLOCK, 0644);
}

}  // namespace

FolderLock::FolderLock(const std::filesystem::path& folder) : m_descriptor(openLockIn(folder)) {
    if (m_descriptor >= 0) {
        static_cast<void>(::flock(m_descriptor, LOCK_EX));
    }
}

FolderLock::~FolderLock() {
    if (m_descriptor >= 0) {
        ::close(m_descriptor);
    }
}

}  // namespace cospadi
