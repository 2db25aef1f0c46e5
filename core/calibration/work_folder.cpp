#include "core/calibration/work_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace cospadi {

namespace fs = std::filesystem;

fs::path partialOf(const fs::path& finished) {
    fs::path path = finished;
    path += ".partial";
    return path;
}

WorkFolder::WorkFolder(const fs::path& finished)
    : m_finished(finished), m_path(partialOf(finished)) {
    fs::create_directories(m_path);
    m_lock = ::open((m_path / ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    m_held = m_lock >= 0 && flock(m_lock, LOCK_EX | LOCK_NB) == 0;
}

WorkFolder::~WorkFolder() {
    if (m_lock >= 0) {
        close(m_lock);
    }
}

void WorkFolder::publish() const {
    fs::remove_all(m_finished);
    fs::remove(m_path / ".lock");
    fs::rename(m_path, m_finished);
}

}  // namespace cospadi
