#include "core/store/run_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

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

}  // namespace cospadi
