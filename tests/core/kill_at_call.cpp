// Preloaded by tst_kill_points: ends the process, as kill -9 does, in its n-th call that changes a
// file; n is COSPADI_KILL_AT (0 or absent: never). Of a write, half is done. In call
// COSPADI_STOP_AT it stops, and goes on when told to. At the end the number of such calls is
// written to the file COSPADI_KILL_COUNT. Standard streams do not count.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

std::atomic<long> calls{0};

long numberOf(const char* variable) {
    const char* text = std::getenv(variable);
    return text == nullptr ? 0L : std::atol(text);
}

long limit() {
    static const long value = numberOf("COSPADI_KILL_AT");
    return value;
}

long stop() {
    static const long value = numberOf("COSPADI_STOP_AT");
    return value;
}

[[noreturn]] void end() {
    for (;;) {
        syscall(SYS_kill, syscall(SYS_getpid), SIGKILL);
    }
}

bool isLast() {
    const long call = ++calls;
    if (call == stop()) {
        syscall(SYS_kill, syscall(SYS_getpid), SIGSTOP);
    }
    return call == limit();
}

void count() {
    if (isLast()) {
        end();
    }
}

struct Report {
    ~Report() {
        if (const char* name = std::getenv("COSPADI_KILL_COUNT")) {
            char text[32];
            std::snprintf(text, sizeof text, "%ld", calls.load());
            const long file = syscall(SYS_openat, AT_FDCWD, name, O_WRONLY | O_CREAT, 0644);
            syscall(SYS_write, file, text, std::strlen(text));
        }
    }
} report;

int opened(int folder, const char* name, int flags, mode_t mode) {
    if ((flags & O_CREAT) != 0) {
        count();
    }
    return static_cast<int>(syscall(SYS_openat, folder, name, flags, mode));
}

// The mode, where there is one.
mode_t modeOf(int flags, va_list rest) {
    const bool hasMode = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
    return hasMode ? va_arg(rest, mode_t) : 0;
}

}  // namespace

extern "C" {

ssize_t write(int file, const void* bytes, size_t size) {
    if (file > 2 && isLast()) {
        syscall(SYS_write, file, bytes, size / 2);
        end();
    }
    return syscall(SYS_write, file, bytes, size);
}

ssize_t writev(int file, const struct iovec* parts, int number) {
    if (file > 2 && isLast()) {
        syscall(SYS_write, file, parts[0].iov_base, parts[0].iov_len / 2);
        end();
    }
    return syscall(SYS_writev, file, parts, number);
}

ssize_t pwrite64(int file, const void* bytes, size_t size, off64_t offset) {
    if (isLast()) {
        syscall(SYS_pwrite64, file, bytes, size / 2, offset);
        end();
    }
    return syscall(SYS_pwrite64, file, bytes, size, offset);
}

ssize_t pwrite(int file, const void* bytes, size_t size, off_t offset) {
    return pwrite64(file, bytes, size, offset);
}

int ftruncate64(int file, off64_t length) noexcept {
    count();
    return static_cast<int>(syscall(SYS_ftruncate, file, length));
}

int ftruncate(int file, off_t length) noexcept { return ftruncate64(file, length); }

int fsync(int file) {
    count();
    return static_cast<int>(syscall(SYS_fsync, file));
}

int fdatasync(int file) {
    count();
    return static_cast<int>(syscall(SYS_fdatasync, file));
}

int rename(const char* from, const char* to) noexcept {
    count();
    return static_cast<int>(syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}

int link(const char* from, const char* to) noexcept {
    count();
    return static_cast<int>(syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0));
}

int unlink(const char* name) noexcept {
    count();
    return static_cast<int>(syscall(SYS_unlinkat, AT_FDCWD, name, 0));
}

int unlinkat(int folder, const char* name, int flags) noexcept {
    count();
    return static_cast<int>(syscall(SYS_unlinkat, folder, name, flags));
}

int rmdir(const char* name) noexcept {
    count();
    return static_cast<int>(syscall(SYS_unlinkat, AT_FDCWD, name, AT_REMOVEDIR));
}

// libstdc++'s remove() calls this one.
int remove(const char* name) noexcept {
    count();
    const int asFile = static_cast<int>(syscall(SYS_unlinkat, AT_FDCWD, name, 0));
    return asFile == 0 ? 0 : static_cast<int>(syscall(SYS_unlinkat, AT_FDCWD, name, AT_REMOVEDIR));
}

int mkdir(const char* name, mode_t mode) noexcept {
    count();
    return static_cast<int>(syscall(SYS_mkdirat, AT_FDCWD, name, mode));
}

int open(const char* name, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = modeOf(flags, rest);
    va_end(rest);
    return opened(AT_FDCWD, name, flags, mode);
}

int open64(const char* name, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = modeOf(flags, rest);
    va_end(rest);
    return opened(AT_FDCWD, name, flags, mode);
}

int openat(int folder, const char* name, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = modeOf(flags, rest);
    va_end(rest);
    return opened(folder, name, flags, mode);
}

int openat64(int folder, const char* name, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = modeOf(flags, rest);
    va_end(rest);
    return opened(folder, name, flags, mode);
}

}  // extern "C"
