#include "core/base/thread_pool.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

namespace cospadi {

namespace {

// How long a thread looks for work, or for the others' end, before it sleeps: the forward pass of
// one token hands out a product every few microseconds, and waking a thread takes longer than that.
constexpr int kLooks = 2000;

void relax() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

template <typename Condition>
bool lookFor(const Condition& condition) {
    for (int i = 0; i < kLooks; ++i) {
        if (condition()) {
            return true;
        }
        relax();
    }
    return false;
}

}  // namespace

struct ThreadPool::Impl {
    std::mutex mutex;
    std::condition_variable_any wake;
    std::condition_variable done;
    const std::function<void(std::int64_t)>* task = nullptr;
    std::int64_t count = 0;
    std::atomic<std::uint64_t> generation{0};  // changed last: it publishes task and count
    std::atomic<int> busy{0};
    int asleep = 0;  // workers
    std::atomic<std::int64_t> next{0};
    std::exception_ptr failure;
    std::vector<std::jthread> workers;

    void drain() {
        for (std::int64_t i = next++; i < count; i = next++) {
            try {
                (*task)(i);
            } catch (...) {
                const std::scoped_lock lock(mutex);
                if (!failure) {
                    failure = std::current_exception();
                }
                next = count;
            }
        }
    }

    // False when the pool ends.
    bool waitForWork(std::uint64_t seen, const std::stop_token& stop) {
        const auto published = [&] { return generation.load() != seen; };
        if (lookFor(published)) {
            return true;
        }
        std::unique_lock lock(mutex);
        ++asleep;
        const bool found = wake.wait(lock, stop, published);
        --asleep;
        return found;
    }

    void work(const std::stop_token& stop) {
        std::uint64_t seen = 0;
        while (waitForWork(seen, stop)) {
            ++seen;  // run() waits for every worker, so none misses a generation
            drain();
            if (--busy == 0) {
                const std::scoped_lock lock(mutex);
                done.notify_one();
            }
        }
    }
};

ThreadPool::ThreadPool(int threads) : m_impl(std::make_unique<Impl>()) {
    const int wanted = threads >= 1 ? threads : availableCores();
    for (int i = 1; i < wanted; ++i) {
        m_impl->workers.emplace_back([this](const std::stop_token& stop) { m_impl->work(stop); });
    }
}

ThreadPool::~ThreadPool() = default;

int ThreadPool::threadCount() const { return static_cast<int>(m_impl->workers.size()) + 1; }

void ThreadPool::run(std::int64_t count, const std::function<void(std::int64_t)>& task) {
    if (count <= 0) {
        return;
    }
    if (count == 1 || m_impl->workers.empty()) {
        for (std::int64_t i = 0; i < count; ++i) {
            task(i);
        }
        return;
    }
    bool sleepers = false;
    {
        const std::scoped_lock lock(m_impl->mutex);
        m_impl->task = &task;
        m_impl->count = count;
        m_impl->next = 0;
        m_impl->failure = nullptr;
        m_impl->busy = static_cast<int>(m_impl->workers.size());
        ++m_impl->generation;
        sleepers = m_impl->asleep > 0;
    }
    if (sleepers) {
        m_impl->wake.notify_all();
    }
    m_impl->drain();
    const auto finished = [&] { return m_impl->busy.load() == 0; };
    if (!lookFor(finished)) {
        std::unique_lock lock(m_impl->mutex);
        m_impl->done.wait(lock, finished);
    }
    if (m_impl->failure) {
        std::rethrow_exception(m_impl->failure);
    }
}

int ThreadPool::wishedThreads() {
    const char* wish = std::getenv("COSPADI_THREADS");
    const std::string_view text = wish != nullptr ? wish : "";
    int value = 0;
    const auto [last, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool isNumber = failure == std::errc() && last == text.data() + text.size();
    return isNumber && value > 0 ? value : 0;
}

int ThreadPool::availableCores() {
    if (const int wish = wishedThreads(); wish > 0) {
        return wish;
    }
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) {
        return std::max(1, CPU_COUNT(&set));
    }
    return std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace cospadi
