#include "core/store/run_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <utility>

#include "core/base/error.h"
#include "core/base/temporary_name.h"

namespace cospadi {

namespace {

enum class Attempt { Taken, Held, LookedAt };

// isBeingWritten() shares the lock for a moment: that is no writer.
Attempt attempt(int descriptor) {
    if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) {
        return Attempt::Taken;
    }
    if (::flock(descriptor, LOCK_SH | LOCK_NB) != 0) {
        return Attempt::Held;
    }
    ::flock(descriptor, LOCK_UN);
    return Attempt::LookedAt;
}

// Whether the process has this very file open. The kernel's list names files by numbers that are
// not those of stat() on every file system.
bool hasOpen(int process, const std::filesystem::path& file) {
    std::error_code hidden;
    const auto files =
        std::filesystem::directory_iterator("/proc/" + std::to_string(process) + "/fd", hidden);
    if (hidden) {
        return false;
    }
    return std::any_of(begin(files), end(files), [&](const auto& open) {
        std::error_code gone;
        return std::filesystem::equivalent(open.path(), file, gone);
    });
}

}  // namespace

std::optional<RunLock> RunLock::tryTake(const std::filesystem::path& run) {
    const std::filesystem::path path = run / "run.lock";
    for (;;) {
        const int descriptor =
            ::open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC | O_NONBLOCK, 0644);
        if (descriptor < 0) {
            throw Error("the run directory is not writable", run.string(),
                        "check its permissions, or choose another directory");
        }
        const Attempt outcome = attempt(descriptor);
        // The run may have been deleted, and another begun, between opening and locking.
        if (outcome == Attempt::Taken && isNameOf(descriptor, path)) {
            return RunLock(descriptor);
        }
        ::close(descriptor);
        if (outcome == Attempt::Held) {
            return std::nullopt;
        }
        std::this_thread::yield();
    }
}

RunLock::RunLock(RunLock&& other) noexcept : m_descriptor(std::exchange(other.m_descriptor, -1)) {}

RunLock& RunLock::operator=(RunLock&& other) noexcept {
    std::swap(m_descriptor, other.m_descriptor);
    return *this;
}

RunLock::~RunLock() {
    if (m_descriptor >= 0) {
        ::close(m_descriptor);
    }
}

bool isBeingWritten(const std::filesystem::path& run) {
    const int descriptor = ::open((run / "run.lock").c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const bool held = descriptor >= 0 && ::flock(descriptor, LOCK_SH | LOCK_NB) != 0;
    if (descriptor >= 0) {
        ::close(descriptor);
    }
    return held;
}

std::optional<int> processWriting(const std::filesystem::path& run) {
    const std::filesystem::path path = run / "run.lock";
    struct stat file {};
    if (::stat(path.c_str(), &file) != 0) {
        return std::nullopt;
    }
    // 1: FLOCK  ADVISORY  WRITE 12345 fe:00:1234567 0 EOF
    std::ifstream locks("/proc/locks");
    for (std::string line; std::getline(locks, line);) {
        std::istringstream words(line);
        std::string number, kind, mode, access, inode;
        int process = 0;
        words >> number >> kind >> mode >> access >> process >> inode;
        const bool isHeld =
            words && kind == "FLOCK" && access == "WRITE" && process > 0 && process != ::getpid();
        if (isHeld && inode.ends_with(":" + std::to_string(file.st_ino)) &&
            hasOpen(process, path)) {
            return process;
        }
    }
    return std::nullopt;
}

}  // namespace cospadi
