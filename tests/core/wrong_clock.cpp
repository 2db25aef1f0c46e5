// Preloaded by tst_sweep_faults: a machine whose clock is wrong, by COSPADI_CLOCK_OFFSET seconds.
// Times of files stay those of the file system, as they do for a machine that mounts another's.
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>

namespace {

long offset() {
    static const char* const text = std::getenv("COSPADI_CLOCK_OFFSET");
    return text == nullptr ? 0L : std::atol(text);
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* now) noexcept {
    const long failed = syscall(SYS_clock_gettime, clock, now);
    if (failed == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
        now->tv_sec += offset();
    }
    return static_cast<int>(failed);
}

int gettimeofday(timeval* now, void* /*zone*/) noexcept {
    timespec precise{};
    const int failed = clock_gettime(CLOCK_REALTIME, &precise);
    now->tv_sec = precise.tv_sec;
    now->tv_usec = precise.tv_nsec / 1000;
    return failed;
}

time_t time(time_t* kept) noexcept {
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    if (kept != nullptr) {
        *kept = now.tv_sec;
    }
    return now.tv_sec;
}

}  // extern "C"
